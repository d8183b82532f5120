/** From before apps had endpoints: what belongs to a connection or a rule instead. */
export const statements = [
  // Set: the rule's webhook_url is its own address and no endpoint's, and this, sealed, signs what goes there.
  `ALTER TABLE rules ADD COLUMN own_secret text`,
  `CREATE TABLE subscriptions (
    user_id text NOT NULL,
    connection_id text NOT NULL,
    subscription_id text NOT NULL,
    app_id text NOT NULL,
    url text NOT NULL,
    secret text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (user_id, connection_id, subscription_id)
  )`
]
