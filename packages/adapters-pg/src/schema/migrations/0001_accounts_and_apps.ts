/**
 * Small shared tables. Most of them are copied to every node of a distributed database (reference tables). No column
 * has a default of now(): the service passes each timestamp as a parameter.
 */
export const statements = [
  `CREATE TABLE accounts (
    user_id text PRIMARY KEY,
    email text NOT NULL UNIQUE,
    display_name text NOT NULL,
    password_hash text NOT NULL,
    roles text[] NOT NULL,
    created_at timestamptz(3) NOT NULL
  )`,
  `CREATE TABLE sessions (
    session_hash text PRIMARY KEY,
    user_id text NOT NULL REFERENCES accounts (user_id) ON DELETE CASCADE,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX sessions_by_expiry ON sessions (expires_at)`,
  // An attempt to sign in gets its row before its password is checked, so that parallel attempts cannot pass the limit.
  `CREATE TABLE sign_in_tries (
    try_id text PRIMARY KEY,
    email text NOT NULL,
    address text NOT NULL,
    tried_at timestamptz(3) NOT NULL,
    failed boolean NOT NULL,
    -- a success of the account came after it: counts for the address only
    forgotten boolean NOT NULL
  )`,
  `CREATE INDEX sign_in_tries_by_email ON sign_in_tries (email, tried_at)`,
  `CREATE INDEX sign_in_tries_by_address ON sign_in_tries (address, tried_at)`,
  `CREATE INDEX sign_in_tries_by_age ON sign_in_tries (tried_at)`,
  `CREATE TABLE apps (
    app_id text PRIMARY KEY,
    owner_id text NOT NULL REFERENCES accounts (user_id),
    name text NOT NULL,
    description text NOT NULL,
    homepage_url text,
    declared_scopes text[] NOT NULL,
    allowed_scopes text[],
    redirect_uris text[] NOT NULL,
    client_secrets jsonb NOT NULL,
    status text NOT NULL,
    review_note text,
    revoked_at timestamptz(3),
    created_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX apps_by_owner ON apps (owner_id, created_at, app_id)`,
  `CREATE TABLE purposes (
    app_id text NOT NULL REFERENCES apps (app_id) ON DELETE CASCADE,
    purpose_id text NOT NULL,
    key text NOT NULL,
    status text NOT NULL,
    terms jsonb NOT NULL,
    approved_terms jsonb,
    review_note text,
    created_at timestamptz(3) NOT NULL,
    archived_at timestamptz(3),
    PRIMARY KEY (app_id, purpose_id),
    UNIQUE (app_id, key)
  )`,
  `CREATE TABLE consent_requests (
    request_id text PRIMARY KEY,
    app_id text NOT NULL,
    redirect_uri text NOT NULL,
    scopes text[] NOT NULL,
    challenge text NOT NULL,
    state text NOT NULL,
    external_user_id text,
    answers_issuer boolean NOT NULL,
    created_at timestamptz(3) NOT NULL,
    decided_by text,
    outcome text,
    connection_id text,
    -- the key that the code was derived with
    key_id text
  )`,
  `CREATE INDEX consent_requests_by_age ON consent_requests (created_at)`,
  // Each row (a route) says which user a connection belongs to. A route never changes, so a program may cache it.
  // Tokens carry the id of the connection and never the id of the user.
  `CREATE TABLE connection_routes (
    connection_id text PRIMARY KEY,
    user_id text NOT NULL
  )`
]
