#!/usr/bin/env node
// A small worker for awa_ring, with node-postgres.
//
//     examples/worker.mjs QUEUE [QUEUE…]        the server is the one that PGHOST, PGDATABASE, … name
//
// Several jobs run at the same time, each in a transaction that also completes it. A lost connection is made again; the
// receipts outlive it. On SIGTERM or SIGINT the worker stops claiming, and leaves when what it claimed is done. Put
// your own handlers into `handlers`.
// With Debian's node-pg run it with NODE_PATH=/usr/share/nodejs.

import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';

const pg = createRequire(import.meta.url)('pg'); // unlike import, require looks into NODE_PATH

const AT_ONCE = 8; // jobs that run at the same time, each on a connection of the pool
const IDLE_MS = 1000; // longest pause between two looks at empty queues

// A handler does one job. What it writes with `client` is committed together with the completion.
const handlers = {
  async greet(client, args) {
    await client.query('SELECT pg_sleep($1)', [args.seconds ?? 0]);
    return { greeted: args.name };
  },
};

const queues = process.argv.slice(2);
if (queues.length === 0) {
  console.error('usage: examples/worker.mjs QUEUE [QUEUE…]');
  process.exit(2);
}

const pool = new pg.Pool({ max: AT_ONCE + 1, application_name: 'worker.mjs' });
pool.on('error', (error) => console.error(`idle connection lost: ${error.message}`));

let leaving = false;
let wake = () => {};
for (const signal of ['SIGTERM', 'SIGINT']) {
  process.on(signal, () => {
    leaving = true;
    wake();
  });
}

// The claim is a transaction of its own: one statement, committed before the work begins.
async function claim(most) {
  const { rows } = await pool.query('SELECT receipt, job_id, kind, args FROM awa.claim($1, $2)', [queues, most]);
  return rows;
}

class Lost extends Error {} // the server is not there, or was lost on the way

async function inTransaction(body) {
  const client = await pool.connect().catch((error) => { throw new Lost(error.message); });
  let lost;
  const noteLoss = (error) => { lost = error; };
  client.on('error', noteLoss);
  try {
    await client.query('BEGIN');
    await body(client);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(noteLoss);
    throw lost ? new Lost(error.message) : error;
  } finally {
    client.off('error', noteLoss);
    client.release(lost); // given an error, the pool closes the connection
  }
}

async function attempt(job) {
  await inTransaction(async (client) => {
    const result = await handlers[job.kind](client, job.args);
    // False: the attempt is over already. What was written for it here is rolled back.
    if (!(await complete(client, job, result))) throw new Error('the receipt is stale');
  });
  console.log(`job ${job.job_id} ${job.kind}: completed`);
}

async function complete(client, job, result) {
  const sql = 'SELECT awa.complete_one($1, $2) AS done';
  return (await client.query(sql, [job.receipt, JSON.stringify(result)])).rows[0].done;
}

async function work(job) {
  for (;;) {
    try {
      return await attempt(job);
    } catch (error) {
      console.error(`job ${job.job_id} failed: ${error.message}`);
      if (error instanceof Lost) {
        if (leaving) return console.error(`job ${job.job_id} stays claimed, receipt ${job.receipt}`);
        await sleep(IDLE_MS); // the receipt outlives the connection: the job is done again on a new one
        continue;
      }
      // This version of awa_ring has no awa.fail yet. A job that is not completed would stay claimed, so a failure is
      // kept as a result, which the application can look for in awa.terminal_jobs.
      return await inTransaction((client) => complete(client, job, { error: error.message })).catch((second) =>
        console.error(`job ${job.job_id} stays claimed, receipt ${job.receipt}: ${second.message}`));
    }
  }
}

const running = new Set();
while (!leaving) {
  let jobs = [];
  try {
    jobs = await claim(AT_ONCE - running.size);
  } catch (error) {
    console.error(`cannot claim: ${error.message}`);
  }
  for (const job of jobs) {
    const done = work(job).finally(() => running.delete(done));
    running.add(done);
  }
  if (running.size === AT_ONCE) {
    await Promise.race(running); // a place is free
  } else if (jobs.length === 0) {
    await Promise.race([sleep(IDLE_MS), new Promise((resolve) => { wake = resolve; })]);
  }
}
await Promise.all(running);
await pool.end();
console.log('left');
