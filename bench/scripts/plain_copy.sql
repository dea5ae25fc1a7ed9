COPY bench.plain_copied (kind, args) FROM '@FILE@';
