// graphile-worker: a task that does nothing, one at a time. A job's row is deleted when it is done: there is no history.
import { EventEmitter } from 'node:events';
import worker from 'graphile-worker';

const TASK = 'bench';
const MANY = `
  SELECT id FROM graphile_worker.add_jobs(ARRAY(
    SELECT json_populate_record(NULL::graphile_worker.job_spec, json_build_object('identifier', $1::text, 'payload', payload))
    FROM json_array_elements($2) AS payload))`;

export async function open(pool) {
  const silent = { pgPool: pool, logger: new worker.Logger(() => () => {}) };
  const utils = await worker.makeWorkerUtils(silent);
  await utils.migrate();
  const enqueueMany = async (all) => (await pool.query({ name: 'many', text: MANY, values: [TASK, JSON.stringify(all)] })).rows;
  return {
    enqueue: (one) => utils.addJob(TASK, one),
    enqueueMany,
    fill: enqueueMany,
    // It has a loop of its own, which is timed from its first look for a job to the end of the last job.
    async work(count) {
      const events = new EventEmitter();
      let began, ended, done = 0;
      events.on('worker:getJob:start', () => { began ??= process.hrtime.bigint(); });
      events.on('job:complete', ({ error }) => {
        if (error) throw error;
        done += 1;
        ended = process.hrtime.bigint();
      });
      await worker.runOnce({ ...silent, events, concurrency: 1, noHandleSignals: true, taskList: { [TASK]: async () => {} } });
      if (done !== count) throw new Error(`graphile-worker did ${done} of ${count} jobs`);
      return Number(ended - began) / 1e9;
    },
    async left() {
      return Number((await pool.query('SELECT count(*) FROM graphile_worker.jobs')).rows[0].count);
    },
    settle: () => pool.query('VACUUM (ANALYZE) graphile_worker._private_jobs'),
    tidy: () => pool.query('TRUNCATE graphile_worker._private_jobs'),
    close: () => utils.release(),
  };
}
