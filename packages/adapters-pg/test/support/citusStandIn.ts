import pg from "pg"

/**
 * A substitute for Citus, for the statements of `db distribute` on a server without the extension. Its functions
 * distribute nothing. They record their arguments, and refuse what Citus refuses according to its manual:
 * - a unique index without the distribution column;
 * - a foreign key between a table that is distributed or copied and a table that is neither;
 * - a second distribution of the same table;
 * - a colocation with a table that is not distributed.
 */
const STATEMENTS = `
  CREATE SCHEMA citus;
  CREATE TABLE citus.pg_dist_partition (
    logicalrelid regclass PRIMARY KEY, partkey text, colocationid integer NOT NULL);
  CREATE TABLE citus.calls (call text NOT NULL, place serial);
  CREATE VIEW citus.citus_stat_activity AS SELECT datname, application_name FROM pg_stat_activity;
  CREATE FUNCTION citus.column_to_column_name(regclass, text) RETURNS text LANGUAGE sql STRICT AS 'SELECT $2';

  CREATE FUNCTION citus.check_table(asked regclass, key text) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE found text;
  BEGIN
    IF EXISTS (SELECT FROM citus.pg_dist_partition WHERE logicalrelid = asked) THEN
      RAISE 'table "%" is already distributed', asked;
    END IF;
    SELECT i.indexrelid::regclass INTO found FROM pg_index i
      WHERE i.indrelid = asked AND i.indisunique AND key IS NOT NULL AND NOT EXISTS (
        SELECT FROM pg_attribute a WHERE a.attrelid = asked AND a.attname = key AND a.attnum = ANY (i.indkey::int2[]));
    IF FOUND THEN
      RAISE 'cannot create constraint on "%"', asked USING DETAIL = format('%s does not include %s', found, key);
    END IF;
    SELECT c.conname INTO found FROM pg_constraint c
      WHERE c.contype = 'f' AND (
        c.conrelid = asked AND NOT EXISTS (
          SELECT FROM citus.pg_dist_partition p WHERE p.logicalrelid = c.confrelid AND p.partkey IS NULL)
        OR c.confrelid = asked AND NOT EXISTS (SELECT FROM citus.pg_dist_partition p
          WHERE p.logicalrelid = c.conrelid));
    IF FOUND THEN RAISE 'cannot create foreign key constraint %', found; END IF;
  END $$;

  CREATE FUNCTION citus.create_reference_table(asked regclass) RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM citus.pg_dist_partition) AND current_setting('citus.multi_shard_modify_mode', true)
        IS DISTINCT FROM 'sequential' THEN
      RAISE 'cannot execute parallel and sequential operations in one transaction';
    END IF;
    PERFORM citus.check_table(asked, NULL);
    INSERT INTO citus.pg_dist_partition VALUES (asked, NULL, 0);
    INSERT INTO citus.calls (call) VALUES (format('copy %s', asked));
  END $$;

  CREATE FUNCTION citus.create_distributed_table(asked regclass, key text, distribution_type text DEFAULT 'hash',
    colocate_with text DEFAULT 'default', shard_count integer DEFAULT NULL) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    beside integer;
  BEGIN
    PERFORM citus.check_table(asked, key);
    IF colocate_with = 'none' THEN
      SELECT coalesce(max(colocationid), 0) + 1 INTO beside FROM citus.pg_dist_partition;
    ELSE
      IF shard_count IS NOT NULL THEN RAISE 'Cannot use colocate_with with a table and shard_count at the same time'; END IF;
      SELECT colocationid INTO beside FROM citus.pg_dist_partition
        WHERE logicalrelid = colocate_with::regclass AND partkey IS NOT NULL;
      IF NOT FOUND THEN RAISE 'relation % is not distributed', colocate_with; END IF;
    END IF;
    -- the table's partitions as well
    INSERT INTO citus.pg_dist_partition
      SELECT asked, key, beside UNION ALL SELECT inhrelid, key, beside FROM pg_inherits WHERE inhparent = asked;
    INSERT INTO citus.calls (call) VALUES (format('spread %s by %s with %s over %s', asked, key, colocate_with, shard_count));
  END $$;

  INSERT INTO pg_extension (oid, extname, extowner, extnamespace, extrelocatable, extversion)
    SELECT 4000000000, 'citus', 10, 'citus'::regnamespace, false, 'stand-in';`

/** Makes the database at `url` look like one with Citus, for every later connection. */
export const installStandIn = (url: string): Promise<void> =>
  withClient(url, async (client) => {
    await client.query(STATEMENTS)
    await client.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET search_path = public, citus`)
  })

/** The calls that the substitute for Citus recorded, in order. */
export const callsOf = (url: string): Promise<ReadonlyArray<string>> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ call: string }>("SELECT call FROM citus.calls ORDER BY place")
    return rows.map(({ call }) => call)
  })

/** Runs any statement and returns its rows. */
export const ask = (url: string, statement: string): Promise<ReadonlyArray<Record<string, unknown>>> =>
  withClient(url, async (client) => (await client.query<Record<string, unknown>>(statement)).rows)

const withClient = async <A>(url: string, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end()
  }
}
