/** Tables of a person: `user_id` is the first column of every key. */
export const statements = [
  // One row for each user and app that were ever connected. The row has the `sub`, the id by which the app knows the
  // user. An approval locks the row, so that approvals of one app by one user run one after the other.
  `CREATE TABLE subjects (
    user_id text NOT NULL,
    app_id text NOT NULL,
    sub text NOT NULL,
    PRIMARY KEY (user_id, app_id)
  )`,
  `CREATE TABLE connections (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    app_id text NOT NULL,
    sub text NOT NULL,
    external_user_id text,
    held_scopes text[] NOT NULL,
    places_version integer NOT NULL,
    standard_expires_at timestamptz(3),
    sensitive_expires_at timestamptz(3),
    connected_at timestamptz(3) NOT NULL,
    ended_at timestamptz(3),
    end_reason text,
    flagged_at timestamptz(3),
    family_id text,
    PRIMARY KEY (user_id, connection_id)
  )`,
  `CREATE UNIQUE INDEX connections_one_live ON connections (user_id, app_id) WHERE ended_at IS NULL`,
  `CREATE INDEX connections_by_app ON connections (app_id, connected_at, connection_id)`,
  `CREATE TABLE connection_places (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    place_id text NOT NULL,
    shared_at timestamptz(3) NOT NULL,
    include_earlier_visits boolean NOT NULL,
    PRIMARY KEY (user_id, connection_id, place_id)
  )`,
  `CREATE TABLE authorization_codes (
    user_id text NOT NULL,
    code_hash text NOT NULL,
    connection_id text NOT NULL,
    app_id text NOT NULL,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    family_id text,
    PRIMARY KEY (user_id, code_hash)
  )`,
  `CREATE TABLE access_tokens (
    user_id text NOT NULL,
    token_hash text NOT NULL,
    connection_id text NOT NULL,
    family_id text NOT NULL,
    issued_at timestamptz(3) NOT NULL,
    revoked_at timestamptz(3),
    PRIMARY KEY (user_id, token_hash)
  )`,
  `CREATE INDEX access_tokens_by_connection ON access_tokens (user_id, connection_id) WHERE revoked_at IS NULL`,
  `CREATE TABLE refresh_tokens (
    user_id text NOT NULL,
    token_hash text NOT NULL,
    connection_id text NOT NULL,
    family_id text NOT NULL,
    issued_at timestamptz(3) NOT NULL,
    -- order of issue inside the family: two rotations can share a millisecond
    link integer NOT NULL,
    rotated_at timestamptz(3),
    -- what the child was derived with
    nonce text,
    key_id text,
    revoked_at timestamptz(3),
    PRIMARY KEY (user_id, token_hash),
    CHECK ((rotated_at IS NULL) = (nonce IS NULL) AND (rotated_at IS NULL) = (key_id IS NULL)),
    UNIQUE (user_id, family_id, link)
  )`,
  `CREATE INDEX refresh_tokens_by_connection ON refresh_tokens (user_id, connection_id) WHERE revoked_at IS NULL`,
  `CREATE TABLE mail_outbox (
    user_id text NOT NULL,
    dedupe_key text NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    sent_at timestamptz(3),
    PRIMARY KEY (user_id, dedupe_key)
  )`
]
