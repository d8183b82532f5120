export const statements = [
  `CREATE TABLE access_log (
    user_id text NOT NULL,
    at timestamptz(3) NOT NULL,
    -- pages go on after an id: compared as code units are, whatever the database's collation
    entry_id text COLLATE "C" NOT NULL,
    app_id text NOT NULL,
    connection_id text NOT NULL,
    endpoint text NOT NULL,
    purpose text,
    status integer NOT NULL,
    error text,
    disclosed text,
    PRIMARY KEY (user_id, at, entry_id)
  ) PARTITION BY RANGE (at)`,
  `CREATE TABLE access_log_default PARTITION OF access_log DEFAULT`
]
