/** Legacy webhooks, from before apps had endpoints: their addresses belong to a connection or to a rule. */
export const statements = [
  // The encrypted secret that signs the webhooks of a rule whose `webhook_url` is an address of its own and not that of
  // an endpoint; null for other rules.
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
