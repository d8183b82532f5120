/** Answers to requests with an Idempotency-Key. A request that is repeated within a day gets the stored answer. */
export const statements = [
  // Each row belongs to a person and is deleted with the person's account. `subject` says who sent the request: an app,
  // by its connection to the person, or the signed-in person.
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
