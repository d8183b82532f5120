/**
 * The teams of apps. The holder of an app is `apps.owner_id` and has no row in `app_members`, so the previous release
 * works unchanged. An invitation names an address, which may have no account.
 */
export const statements = [
  `CREATE TABLE app_members (
    app_id text NOT NULL REFERENCES apps (app_id),
    member_id text COLLATE "C" NOT NULL,
    user_id text NOT NULL REFERENCES accounts (user_id),
    role text NOT NULL,
    since timestamptz(3) NOT NULL,
    PRIMARY KEY (app_id, member_id),
    UNIQUE (app_id, user_id)
  )`,
  `CREATE INDEX app_members_by_user ON app_members (user_id)`,
  `CREATE TABLE app_invitations (
    app_id text NOT NULL REFERENCES apps (app_id),
    invitation_id text COLLATE "C" NOT NULL,
    email text NOT NULL,
    role text NOT NULL,
    invited_by text NOT NULL,
    created_at timestamptz(3) NOT NULL,
    PRIMARY KEY (app_id, invitation_id)
  )`,
  `CREATE INDEX app_invitations_by_email ON app_invitations (email)`,
  `CREATE INDEX app_invitations_by_age ON app_invitations (created_at)`,
  `CREATE INDEX app_invitations_by_inviter ON app_invitations (invited_by)`
]
