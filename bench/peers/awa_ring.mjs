// awa_ring from node-postgres: prepared statements, receipts as the texts that they come as.
export async function open(pool, queue) {
  await pool.query('SELECT awa.create_queue($1)', [queue]);
  const enqueueMany = async (all) =>
    (await pool.query({ name: 'many', text: 'SELECT awa.enqueue_many($1, $2, $3) AS ids', values: [queue, 'bench', all] })).rows[0].ids;
  return {
    enqueue: (one) => pool.query({ name: 'one', text: 'SELECT awa.enqueue($1, $2, $3)', values: [queue, 'bench', one] }),
    enqueueMany,
    fill: enqueueMany,
    async cycle(batch) {
      const { rows } = await pool.query({
        name: 'claim', text: 'SELECT receipt, job_id, kind, args FROM awa.claim($1, $2)', values: [[queue], batch],
      });
      const { rows: [{ complete }] } = await pool.query({
        name: 'complete', text: 'SELECT awa.complete($1)', values: [rows.map((row) => row.receipt)],
      });
      return complete;
    },
    async left() {
      const { rows: [counts] } = await pool.query('SELECT available + running AS left FROM awa.queue_counts($1)', [queue]);
      return Number(counts.left);
    },
    async settle() {},
    async tidy() {},
    async close() {},
  };
}
