// Measures a queue from node-postgres, one session, one thing at a time; the server is the one of PGHOST, PGPORT, PGUSER, PGDATABASE.
//
//   node measure.mjs CONTESTANT QUEUE SECONDS work BATCH COUNT       COUNT jobs wait; all are claimed and completed in batches; again,
//                                                                    until that took SECONDS in all
//   node measure.mjs CONTESTANT QUEUE SECONDS enqueue A_CALL CALLS   enqueues so many a call, for SECONDS or CALLS calls
//
// Prints {done, seconds, wal} for the timed parts alone: jobs, seconds, and bytes of WAL. What is timed begins when schema, queue and
// statements are there. What is left is removed, where that is cheap.
import pg from 'pg';

const A_CALL = 1000; // jobs of a transaction that fills
const job = (number) => ({ order: 104729 + number, customer: 'c-10482', note: 'benchmark' });
const jobs = (count) => Array.from({ length: count }, (_, number) => job(number));

const [contestant, name, seconds, action, size, times] = process.argv.slice(2)
  .map((word) => (/^[0-9.]+$/.test(word) ? Number(word) : word));
const pool = new pg.Pool({ max: 1 });
pool.on('error', (error) => { throw error; });
const total = { done: 0, seconds: 0, wal: 0 };

// Adds a timed part; body says how many jobs it did and, if it knows better than the clock here, how long that took.
async function timed(body) {
  const position = async () => (await pool.query('SELECT pg_current_wal_insert_lsn() AS lsn')).rows[0].lsn;
  const from = await position();
  const began = process.hrtime.bigint();
  const { done, took = Number(process.hrtime.bigint() - began) / 1e9 } = await body();
  const { rows: [{ wal }] } = await pool.query('SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::float8 AS wal', [from]);
  total.done += done;
  total.seconds += took;
  total.wal += wal;
}

async function fill(queue, count) {
  for (let left = count; left > 0; left -= A_CALL) await queue.fill(jobs(Math.min(left, A_CALL)));
  await queue.settle();
}

// Cycles until all are done; a cycle that gets fewer than it could is a fault.
async function cycles(queue, batch, count) {
  for (let done = 0; done < count; done += batch) {
    const got = await queue.cycle(batch);
    if (got !== batch) throw new Error(`${got} of ${batch} jobs were completed, after ${done}`);
  }
}

async function work(queue, batch, count) {
  const once = async () => ({ done: count, took: queue.work ? await queue.work(count) : await cycles(queue, batch, count) });
  // Sessions and statements are made before the first timed part.
  await fill(queue, batch);
  await (queue.work ? queue.work(batch) : queue.cycle(batch));
  do {
    await fill(queue, count);
    await timed(once);
    const left = await queue.left();
    if (left !== 0) throw new Error(`${left} jobs are left`);
  } while (total.seconds < seconds);
}

async function enqueue(queue, size, calls) {
  const before = await queue.left();
  const call = size === 1 ? (number) => queue.enqueue(job(number)) : () => queue.enqueueMany(many);
  const many = jobs(size);
  await call(0);
  await timed(async () => {
    const end = process.hrtime.bigint() + BigInt(Math.round(seconds * 1e9));
    let number = 0;
    while (number < calls && process.hrtime.bigint() < end) await call(number++);
    return { done: number * size };
  });
  const more = await queue.left() - before;
  if (more !== total.done + size) throw new Error(`${more} jobs wait, ${total.done + size} were enqueued`);
}

const { open } = await import(`./${contestant}.mjs`);
const queue = await open(pool, name);
await queue.tidy();
await { work, enqueue }[action](queue, size, times);
await queue.tidy();
await queue.close();
await pool.end();
console.log(JSON.stringify(total));
