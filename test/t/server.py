"""Servers of a test's own: made with the programs in AWA_BIN (else those of pg_config), run by the ordinary user."""
import os
import pwd
import shutil
import subprocess
import tempfile

# What was written to the operating system outlives the end of a process: fsync would only cost time here.
CONF = """
fsync = off
listen_addresses = ''
max_prepared_transactions = 20
shared_buffers = 32MB
checkpoint_timeout = 30s
timezone = 'UTC'
lc_messages = 'C'
awa_ring.autostart = off
"""


class Server:
    """One server; its folder, with the socket, lives below the folder for temporary files."""

    def __init__(self):
        self.bin = os.environ.get('AWA_BIN') or subprocess.check_output(['pg_config', '--bindir'], text=True).strip()
        # The path of a socket has 107 bytes at most.
        self.folder = tempfile.mkdtemp(prefix='awa_test.', dir='/tmp' if len(tempfile.gettempdir()) > 60 else None)
        self.data = os.path.join(self.folder, 'data')
        self.user = {}
        if os.geteuid() == 0:
            postgres = pwd.getpwnam('postgres')
            os.chown(self.folder, postgres.pw_uid, postgres.pw_gid)
            self.user = {'user': postgres.pw_uid, 'group': postgres.pw_gid, 'extra_groups': []}
        self.dsn = f'host={self.folder} user=postgres dbname=postgres'

    def run(self, program, *arguments, check=True):
        environment = {k: v for k, v in os.environ.items() if not k.startswith('PG')}
        # Output goes to a file: a server that goes on would keep a pipe open.
        with open(os.path.join(self.folder, 'output'), 'a+') as output:
            result = subprocess.run([os.path.join(self.bin, program), *arguments], stdout=output, stderr=output, cwd='/',
                                    stdin=subprocess.DEVNULL, env=environment, **self.user)
            if check and result.returncode:
                output.seek(0)
                raise RuntimeError(f'{program}: {output.read()[-2000:]}')
        return result.returncode

    def create(self):
        """A new cluster."""
        self.run('initdb', '--pgdata', self.data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C',
                 '--no-sync', '--no-instructions')
        self.configure(CONF)

    def copy(self, primary):
        """A standby of another server that runs."""
        self.run('pg_basebackup', '--dbname', primary.dsn, '--pgdata', self.data, '--write-recovery-conf', '--checkpoint=fast',
                 '--no-sync')
        self.configure('')

    def configure(self, conf):
        with open(os.path.join(self.data, 'postgresql.conf'), 'a') as file:
            file.write(conf + f"unix_socket_directories = '{self.folder}'\n")

    def start(self):
        self.run('pg_ctl', '--pgdata', self.data, '--log', os.path.join(self.data, 'log'), '--wait', '--timeout=60', 'start')

    def stop(self, mode):
        return self.run('pg_ctl', '--pgdata', self.data, '--mode', mode, '--wait', 'stop', check=False)

    def log(self):
        try:
            with open(os.path.join(self.data, 'log')) as file:
                return file.read()
        except OSError:
            return ''

    def remove(self):
        self.stop('immediate')
        # What the server had to report outlives it: test/run looks.
        if 'AWA_WORK' in os.environ:
            with open(os.path.join(os.environ['AWA_WORK'], 'log', 'servers'), 'a') as file:
                file.write(self.log())
        shutil.rmtree(self.folder, ignore_errors=True)
