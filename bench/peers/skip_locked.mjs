// The usual SKIP LOCKED table from node-postgres, with the statements of the other cells.
const INSERT = 'INSERT INTO bench.jobs (queue, kind, args)';
const CLAIM = `
  UPDATE bench.jobs SET state = 'running', attempt = attempt + 1, claimed_at = now()
  WHERE id = ANY (ARRAY(SELECT id FROM bench.jobs WHERE queue = $1 AND state = 'available' AND run_at <= now()
              ORDER BY priority, run_at, id LIMIT $2 FOR UPDATE SKIP LOCKED))
  RETURNING id, kind, args`;
const COMPLETE = `
  WITH ended AS (DELETE FROM bench.jobs WHERE id = ANY ($1::bigint[]) AND state = 'running' RETURNING *)
  INSERT INTO bench.history
  SELECT id, queue, priority, 'completed', kind, args, attempt, max_attempts, run_at, created_at, claimed_at, now() FROM ended`;

export async function open(pool, queue) {
  const enqueueMany = async (all) => (await pool.query({
    name: 'many', text: `${INSERT} SELECT $1, 'bench', unnest($2::jsonb[]) RETURNING id`, values: [queue, all],
  })).rows;
  return {
    enqueue: (one) => pool.query({ name: 'one', text: `${INSERT} VALUES ($1, 'bench', $2) RETURNING id`, values: [queue, one] }),
    enqueueMany,
    fill: enqueueMany,
    async cycle(batch) {
      const { rows } = await pool.query({ name: 'claim', text: CLAIM, values: [queue, batch] });
      return (await pool.query({ name: 'complete', text: COMPLETE, values: [rows.map((row) => row.id)] })).rowCount;
    },
    async left() {
      return Number((await pool.query('SELECT count(*) FROM bench.jobs WHERE queue = $1', [queue])).rows[0].count);
    },
    settle: () => pool.query('VACUUM (ANALYZE) bench.jobs'),
    async tidy() {
      await pool.query('DELETE FROM bench.jobs WHERE queue = $1', [queue]);
      await pool.query('VACUUM bench.jobs');
    },
    async close() {},
  };
}
