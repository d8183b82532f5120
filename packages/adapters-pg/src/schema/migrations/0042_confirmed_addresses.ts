/** E-mail addresses that were confirmed by mail, and accounts that wait for a confirmation. */
export const statements = [
  // Null: nobody has proved that they read the mail to this address.
  `ALTER TABLE accounts ADD COLUMN confirmed_at timestamptz(3)`,
  // Accounts from before this migration got mail without a confirmation, also about leaked tokens. Their addresses
  // count as confirmed, because otherwise the owners would get no more mail.
  `UPDATE accounts SET confirmed_at = created_at`,
  // Each change of the address by the owner raises this number, so that links which undo a change have an order.
  `ALTER TABLE accounts ADD COLUMN address_version integer NOT NULL DEFAULT 0`,
  `ALTER TABLE account_links ADD COLUMN new_email text`,
  `ALTER TABLE account_links ADD COLUMN address_version integer NOT NULL DEFAULT 0`,
  // Every node of a cluster has a copy of this table. The account of a row is made only when its owner opens the link.
  `CREATE TABLE pending_accounts (
    link_hash text PRIMARY KEY,
    -- the id that the account will have
    user_id text NOT NULL,
    email text NOT NULL,
    display_name text NOT NULL,
    password_hash text NOT NULL,
    -- null: for ever
    keep_days integer,
    -- the page that the person wanted to open
    return_to text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    expires_at timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX pending_accounts_by_email ON pending_accounts (email)`,
  `CREATE INDEX pending_accounts_by_expiry ON pending_accounts (expires_at)`
]
