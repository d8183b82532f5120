import { describe, expect, it } from "vitest"
import { mentions, type Schema } from "./statementKeys.js"

const schema: Schema = {
  columns: new Map([
    ["connections", ["user_id", "connection_id", "app_id", "ended_at"]],
    ["access_tokens", ["user_id", "token_hash", "connection_id"]],
    ["places", ["user_id", "place_id", "label"]],
    ["access_log", ["user_id", "at", "entry_id"]],
    ["deliveries", ["app_id", "delivery_id", "endpoint_id", "event_id", "state", "due_at"]],
    ["endpoints", ["app_id", "endpoint_id", "epoch"]],
    ["apps", ["app_id", "name", "revoked_at"]]
  ]),
  keys: new Map([
    ["connections", "user_id"],
    ["access_tokens", "user_id"],
    ["places", "user_id"],
    ["access_log", "user_id"],
    ["deliveries", "app_id"],
    ["endpoints", "app_id"]
  ])
}

/** Returns `table:how` for each mention, in order. */
const of = async (text: string) => (await mentions(text, schema)).map(({ how, table }) => `${table}:${how}`)

describe("a statement names the key of a table", () => {
  it.each([
    ["by equality with a parameter", "SELECT * FROM places WHERE user_id = $1 AND label = $2", ["places:one"]],
    ["by equality with a cast parameter", "DELETE FROM places p WHERE p.user_id = $1::text", ["places:one"]],
    ["by a list", "SELECT * FROM places WHERE user_id = ANY($1::text[])", ["places:several"]],
    ["by a list of its own", "SELECT * FROM places WHERE user_id IN ($1, $2)", ["places:several"]],
    [
      "by a join on it",
      `SELECT * FROM access_tokens t JOIN connections c ON c.user_id = t.user_id AND c.connection_id = t.connection_id
       JOIN apps a ON a.app_id = c.app_id WHERE t.user_id = $1`,
      ["access_tokens:one", "connections:one"]
    ],
    [
      "by an outer join on it",
      "SELECT * FROM connections c LEFT JOIN places p ON p.user_id = c.user_id WHERE c.user_id = $1",
      ["connections:one", "places:one"]
    ],
    [
      "by a list of values as a table",
      "UPDATE deliveries d SET state = 'failed' FROM unnest($1::text[], $2::text[]) AS done (app_id, id) WHERE d.app_id = done.app_id",
      ["deliveries:several"]
    ],
    [
      "in a correlated sub-query",
      "SELECT 1 FROM connections c WHERE c.user_id = $1 AND EXISTS (SELECT 1 FROM places p WHERE p.user_id = c.user_id)",
      ["connections:one", "places:one"]
    ],
    [
      "in a lateral one",
      `SELECT * FROM unnest($1::text[]) AS asked (app_id) CROSS JOIN LATERAL (
         SELECT due_at FROM deliveries d WHERE d.app_id = asked.app_id ORDER BY due_at LIMIT 1) head`,
      ["deliveries:several"]
    ],
    [
      "through WITH, and back from what was written",
      `WITH held AS (SELECT app_id, delivery_id, endpoint_id FROM deliveries WHERE app_id = $1 AND delivery_id = $2 FOR UPDATE),
            moved AS (UPDATE deliveries d SET state = 'delivered' FROM held h WHERE d.app_id = h.app_id RETURNING d.app_id)
       UPDATE endpoints e SET epoch = 1 FROM moved m WHERE e.app_id = m.app_id`,
      ["deliveries:one", "deliveries:one", "endpoints:one"]
    ],
    [
      "by rows that WITH found",
      `WITH old AS (SELECT app_id, delivery_id FROM deliveries WHERE app_id = $1)
       DELETE FROM deliveries WHERE (app_id, delivery_id) IN (SELECT app_id, delivery_id FROM old)`,
      ["deliveries:one", "deliveries:one"]
    ],
    ["as it inserts", "INSERT INTO places (place_id, user_id) VALUES ($1, $2)", ["places:one"]],
    [
      "as it inserts many",
      "INSERT INTO access_log (user_id, at, entry_id) SELECT * FROM unnest($1::text[], $2::timestamptz[], $3::text[])",
      ["access_log:several"]
    ],
    ["as it inserts two constants", "INSERT INTO places (user_id) VALUES ('a'), ('b')", ["places:several"]],
    [
      "as it inserts what another part wrote",
      `WITH moved AS (INSERT INTO connections (user_id, connection_id) VALUES ($1, $2) RETURNING user_id)
       INSERT INTO places (user_id, place_id) SELECT moved.user_id, p.* FROM moved, unnest($3::text[]) AS p`,
      ["connections:one", "places:one"]
    ],
    [
      "through WITH RECURSIVE, whose other arm keeps it",
      `WITH RECURSIVE walk AS (
         SELECT user_id, place_id FROM places WHERE user_id = $1
         UNION ALL SELECT p.user_id, p.place_id FROM places p JOIN walk w ON p.user_id = w.user_id
           AND p.label = w.place_id)
       SELECT * FROM walk`,
      ["places:one", "places:one"]
    ],
    [
      "and gives it back by another name",
      `WITH moved AS (INSERT INTO places AS p (user_id, place_id) VALUES ($1, $2) RETURNING p.label, p.user_id AS whose)
       DELETE FROM access_log l USING moved m WHERE l.user_id = m.whose`,
      ["places:one", "access_log:one"]
    ],
    [
      "in a sub-query, wherever it stands",
      "SELECT 1 FROM apps GROUP BY (SELECT count(*) FROM places p WHERE p.user_id = $1)",
      ["places:one"]
    ],
    ["nothing is asked of a copied table", "SELECT * FROM apps WHERE name = $1", []]
  ])("%s", async (_, text, expected) => expect(await of(text)).toEqual(expected))

  it("says which parameters the key equals", async () => {
    const found = await mentions(
      "SELECT 1 FROM connections c JOIN places p ON p.user_id = c.user_id WHERE c.user_id = $2 AND p.user_id = $1",
      schema
    )
    expect(found.map(({ parameters }) => parameters)).toEqual([
      [1, 2],
      [1, 2]
    ])
  })
})

describe("a statement is accused that does not", () => {
  it.each([
    ["a look-up by something else", "SELECT * FROM access_tokens WHERE token_hash = $1", "access_tokens"],
    ["an inequality", "SELECT * FROM places WHERE user_id >= $1", "places"],
    ["a condition among others that may hold", "SELECT * FROM places WHERE user_id = $1 OR label = $2", "places"],
    ["a negation", "SELECT * FROM places WHERE NOT user_id = $1", "places"],
    [
      "a join that leaves the key out",
      "SELECT * FROM access_tokens t JOIN connections c ON c.connection_id = t.connection_id WHERE t.user_id = $1",
      "connections"
    ],
    [
      "a join on what is not the key of the other",
      "SELECT * FROM connections c JOIN deliveries d ON d.app_id = c.app_id WHERE c.user_id = $1",
      "deliveries"
    ],
    [
      "a restriction of the side that may be missing",
      "SELECT * FROM connections c LEFT JOIN places p ON p.user_id = c.user_id AND c.user_id = $1",
      "connections"
    ],
    [
      "a restriction inside a sub-query, of what is around it",
      "SELECT * FROM connections c WHERE EXISTS (SELECT 1 FROM apps a WHERE a.app_id = $1 AND c.user_id = $2)",
      "connections"
    ],
    ["a sub-query somewhere in what is selected", "SELECT (SELECT count(*) FROM places) FROM apps", "places"],
    [
      "a part of a UNION",
      "SELECT 1 FROM places WHERE user_id = $1 UNION ALL SELECT 1 FROM connections WHERE app_id = $2",
      "connections"
    ],
    [
      "rows that were found on every shard",
      `WITH due AS (SELECT app_id, delivery_id FROM deliveries WHERE due_at <= $1 LIMIT 10)
       UPDATE deliveries d SET state = 'trying' FROM due WHERE d.app_id = due.app_id AND d.delivery_id = due.delivery_id`,
      "deliveries"
    ],
    ["an UPDATE of everything", "UPDATE endpoints SET epoch = epoch + 1", "endpoints"],
    ["a DELETE that joins", "DELETE FROM places p USING apps a WHERE a.app_id = p.label", "places"],
    ["an insertion without the key", "INSERT INTO places (place_id) VALUES ($1)", "places"],
    [
      "an insertion of a key from elsewhere",
      "INSERT INTO places (user_id, place_id) SELECT name, $1 FROM apps",
      "places"
    ],
    ["an insertion of a default", "INSERT INTO places (user_id, place_id) VALUES (DEFAULT, $1)", "places"],
    ["a function's word, which may be another for every row", "DELETE FROM places WHERE user_id = anybody()", "places"],
    [
      "a function's rows",
      "DELETE FROM places p USING anybody($1) AS a (user_id) WHERE p.user_id = a.user_id",
      "places"
    ],
    [
      "a column that may be a function's, and not what is around it",
      `SELECT 1 FROM access_tokens t WHERE t.user_id = $1 AND t.token_hash = $1
         AND EXISTS (SELECT 1 FROM anything() AS a, places p WHERE p.user_id = token_hash)`,
      "places"
    ],
    [
      "what an insertion gives back under the key's name",
      `WITH moved AS (INSERT INTO places (user_id, label) VALUES ($1, $2) RETURNING label AS user_id)
       DELETE FROM access_log l USING moved m WHERE l.user_id = m.user_id`,
      "access_log"
    ],
    [
      "what a recursion begins with, and its other arm changes",
      `WITH RECURSIVE walk AS (
         SELECT user_id FROM connections WHERE user_id = $1
         UNION ALL SELECT p.label FROM places p JOIN walk w ON p.user_id = w.user_id)
       SELECT 1 FROM walk`,
      "places"
    ],
    [
      "what a recursion changes in two steps",
      `WITH RECURSIVE walk (a, b) AS (
         SELECT user_id, user_id FROM connections WHERE user_id = $1
         UNION ALL SELECT w.b, p.label FROM places p JOIN walk w ON p.user_id = w.a)
       SELECT 1 FROM walk`,
      "places"
    ],
    ["a row that changes its key", "UPDATE places SET user_id = $2 WHERE user_id = $1", "places"],
    [
      "a row that changes its key as it is inserted once more",
      "INSERT INTO places (user_id, place_id) VALUES ($1, $2) ON CONFLICT (user_id, place_id) DO UPDATE SET user_id = $3",
      "places"
    ],
    [
      "an UPDATE of a table that WITH has the name of",
      "WITH places AS (SELECT $1::text AS user_id) UPDATE places SET label = '' WHERE place_id = $2",
      "places"
    ],
    [
      "a join that keeps the rows of both sides",
      "SELECT 1 FROM places p FULL JOIN connections c ON c.user_id = p.user_id AND p.user_id = $1",
      "connections"
    ]
  ])("%s", async (_, text, table) => expect(await of(text)).toContain(`${table}:every`))

  it.each([
    ["rows that a table is made of", "SELECT 1 FROM unnest(ARRAY(SELECT label FROM places)) AS a"],
    ["rows that a function is given", "SELECT 1 FROM anything(ARRAY(SELECT label FROM places)) AS a"],
    ["what an insertion gives back", "INSERT INTO apps (app_id) VALUES ($1) RETURNING (SELECT max(label) FROM places)"],
    ["the values of an insertion", "INSERT INTO apps (app_id) VALUES ((SELECT max(label) FROM places))"],
    ["what an UPDATE gives back", "UPDATE apps SET name = $1 RETURNING (SELECT max(label) FROM places)"],
    ["what an UPDATE sets", "UPDATE apps SET name = (SELECT max(label) FROM places)"],
    ["what a DELETE gives back", "DELETE FROM apps RETURNING (SELECT max(label) FROM places)"],
    [
      "ON CONFLICT",
      "INSERT INTO apps (app_id) VALUES ($1) ON CONFLICT (app_id) DO UPDATE SET name = (SELECT max(label) FROM places)"
    ],
    ["GROUP BY", "SELECT 1 FROM apps GROUP BY (SELECT max(label) FROM places)"],
    ["HAVING", "SELECT 1 FROM apps HAVING EXISTS (SELECT 1 FROM places)"],
    ["ORDER BY", "SELECT 1 FROM apps ORDER BY (SELECT max(label) FROM places)"],
    ["WINDOW", "SELECT 1 FROM apps WINDOW w AS (ORDER BY (SELECT max(label) FROM places))"],
    ["DISTINCT ON", "SELECT DISTINCT ON ((SELECT max(label) FROM places)) name FROM apps"],
    ["LIMIT", "SELECT 1 FROM apps LIMIT (SELECT count(*) FROM places)"],
    ["LIMIT of a UNION", "SELECT 1 FROM apps UNION SELECT 2 LIMIT (SELECT count(*) FROM places)"],
    ["LIMIT of VALUES", "VALUES (1) LIMIT (SELECT count(*) FROM places)"],
    ["FULL JOIN", "SELECT 1 FROM apps a FULL JOIN apps b ON a.name = (SELECT max(label) FROM places)"],
    ["RIGHT JOIN", "SELECT 1 FROM apps a RIGHT JOIN apps b ON a.name = (SELECT max(label) FROM places)"],
    ["a JSON array", "SELECT JSON_ARRAY(SELECT label FROM places)"],
    ["an UPDATE in WITH", "WITH x AS (UPDATE places SET label = '' RETURNING 1) SELECT 1"]
  ])("a sub-query in %s", async (_, text) => expect(await of(text)).toEqual(["places:every"]))
})

describe("a statement is refused that is not understood", () => {
  it.each([
    ["MERGE", "MERGE INTO places p USING apps a ON p.label = a.name WHEN MATCHED THEN DELETE"],
    ["TRUNCATE", "TRUNCATE places"],
    ["COPY", "COPY places TO STDOUT"],
    ["COPY of a query", "COPY (SELECT 1 FROM places) TO STDOUT"],
    ["a cursor", "DECLARE c CURSOR FOR SELECT 1 FROM places"],
    ["CREATE TABLE AS", "CREATE TABLE mine AS SELECT 1 FROM places"],
    ["SELECT INTO", "SELECT label INTO mine FROM places"],
    ["a prepared statement", "PREPARE all_of_them AS DELETE FROM places"],
    ["a block of code", "DO $$ BEGIN DELETE FROM places; END $$"],
    ["EXPLAIN ANALYZE", "EXPLAIN ANALYZE DELETE FROM places"],
    ["one of several", "SELECT 1; TRUNCATE places"],
    ["TABLESAMPLE", "SELECT 1 FROM places TABLESAMPLE SYSTEM (1) WHERE user_id = $1"],
    ["a table made of JSON", "SELECT 1 FROM JSON_TABLE($1::jsonb, '$' COLUMNS (a text)) AS t"],
    ["functions side by side", "SELECT 1 FROM ROWS FROM (unnest($1::text[]), unnest($2::text[])) AS t (a, b)"],
    ["a table that is not there", "DELETE FROM fixes_of_1999"],
    ["a table with columns by other names", "SELECT 1 FROM places AS p (label, user_id) WHERE p.user_id = $1"],
    ["a join by name", "SELECT * FROM places JOIN connections USING (user_id) WHERE user_id = $1"],
    ["a join by whatever names are the same", "SELECT * FROM places NATURAL JOIN connections WHERE user_id = $1"],
    ["a join with a name of its own", "SELECT j.* FROM (places p JOIN apps a ON true) AS j"],
    ["all columns of what has unknown ones", "INSERT INTO places (label, user_id) SELECT a.*, $1 FROM anybody() AS a"]
  ])("%s", async (_, text) => expect(mentions(text, schema)).rejects.toThrow("not understood"))

  it.each(["BEGIN", "COMMIT", "SET LOCAL lock_timeout = 1", "LISTEN work", "CREATE TABLE IF NOT EXISTS mine (a text)"])(
    "not so %s, which touches no rows",
    async (text) => expect(await of(text)).toEqual([])
  )
})
