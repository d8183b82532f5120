/** Answers to requests with an Idempotency-Key, to be given again for a day. */
export const statements = [
  // A person's rows: they go with the account. The subject is a connection of the person's or the person themselves,
  // signed in.
  `CREATE TABLE idempotent_answers (
    user_id text NOT NULL,
    subject text COLLATE "C" NOT NULL,
    key_hash text COLLATE "C" NOT NULL,
    fingerprint text NOT NULL,
    -- status, content type and body, sealed as one: an answer may hold a secret that is shown once
    sealed text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, subject, key_hash)
  )`,
  `CREATE INDEX idempotent_answers_by_age ON idempotent_answers (created_at)`
]
