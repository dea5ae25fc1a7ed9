// pg-boss: fetch and complete; its own supervision and schedules are off. Completed jobs stay as rows: they are its history.
import PgBoss from 'pg-boss';

export async function open(pool, queue) {
  const boss = new PgBoss({ max: 1, supervise: false, schedule: false });
  boss.on('error', (error) => { throw error; });
  await boss.start();
  await boss.createQueue(queue);
  const enqueueMany = (all) => boss.insert(all.map((data) => ({ name: queue, data })));
  return {
    enqueue: (one) => boss.send(queue, one),
    enqueueMany,
    fill: enqueueMany,
    async cycle(batch) {
      const jobs = await boss.fetch(queue, { batchSize: batch });
      return (await boss.complete(queue, jobs.map((job) => job.id))).affected;
    },
    left: () => boss.getQueueSize(queue, { before: 'completed' }),
    settle: () => pool.query('VACUUM (ANALYZE) pgboss.job'),
    tidy: () => boss.clearStorage(),
    close: () => boss.stop({ graceful: false, wait: true }),
  };
}
