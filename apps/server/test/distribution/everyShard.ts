/** A statement that asks every shard on purpose: none of them is sent while a phone or an app waits for an answer. */
export interface OnPurpose {
  /** The spread tables that it names no key of. */
  readonly tables: ReadonlyArray<string>
  /** Tells it from others, in its text without comments and with single spaces. */
  readonly text: RegExp
  readonly why: string
}

export const ON_PURPOSE: ReadonlyArray<OnPurpose> = [
  {
    tables: ["events"],
    text: /FROM events WHERE fanned_out_at IS NULL AND fan_out_due_at <= /,
    why: "a worker takes whoever's events wait; small, by an index of what waits"
  },
  {
    tables: ["deliveries", "endpoints"],
    text: /WITH RECURSIVE waiting AS .* FROM deliveries WHERE state = 'trying' ORDER BY app_id, endpoint_id LIMIT 1/,
    why: "a worker looks at which endpoints something waits, of any app; what it then takes names the apps"
  },
  {
    tables: ["endpoints"],
    text: /FROM endpoints WHERE split_part\(secrets -> 0 ->> 'sealed'/,
    why: "the first start of a version that knows canaries: any signing secret tells whether the keys are right"
  },
  {
    tables: ["connections"],
    text: /FROM connections WHERE ended_at IS NULL AND look_at <= /,
    why: "every quarter of an hour: dates of anybody's connections that have come"
  },
  {
    tables: ["connections"],
    text: /FROM apps a JOIN connections c ON c.app_id = a.app_id WHERE a.revoked_at IS NOT NULL/,
    why: "every minute: what is left of revoked apps, whoever had connected them"
  },
  {
    tables: ["connections", "connection_places"],
    text: /FROM connections c WHERE c\.app_id = \$1 ORDER BY c\.connected_at DESC/,
    why: "a page of a developer's: who connected the app, which belongs to those people's rows"
  },
  {
    tables: ["devices", "stay_backfills"],
    text: /FROM devices WHERE stays_due_from < .* UNION SELECT user_id, device_id FROM stay_backfills/,
    why: "every five minutes: phones whose stays were left behind"
  },
  {
    tables: ["access_log", "volume_flags"],
    text: /^INSERT INTO volume_flags /,
    why: "once an hour: everybody's calls of a day are counted"
  },
  {
    tables: ["history_choices", "fixes", "quarantined_fixes", "visit_reports", "devices", "stays", "access_log"],
    text: /FROM \(SELECT user_id FROM accounts WHERE .* ORDER BY user_id LIMIT/,
    why: "once an hour: whose history is past their choice, a page of accounts at a time"
  },
  {
    tables: [
      "access_tokens",
      "refresh_tokens",
      "authorization_codes",
      "consent_requests",
      "rate_windows",
      "budgets",
      "idempotent_answers",
      "deliveries",
      "delivery_attempts",
      "events",
      "mail_outbox",
      "named_mail"
    ],
    text: /^WITH old AS MATERIALIZED \(SELECT [a-z_, ]+ FROM "\w+" t WHERE "\w+" <= \$1 AND .* DELETE FROM/,
    why: "retention: what is old, whosesoever, by an index on its age"
  },
  {
    tables: ["mail_outbox"],
    text: /FROM mail_outbox WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= /,
    why: "who sends mail takes whoever's waits; small, by an index of what waits"
  },
  {
    tables: ["account_deletions"],
    text: /^UPDATE account_deletions SET look_at = .* WHERE look_at <= /,
    why: "a worker takes whichever account is on its way out; a handful of rows"
  },
  {
    tables: ["imports"],
    text: /FROM imports WHERE state IN \('waiting', 'running'\)/,
    why: "a worker takes whichever file waits; a handful of rows"
  },
  {
    tables: ["imports", "import_pieces"],
    text: /DELETE FROM imports WHERE state = 'uploading' AND uploaded_at < /,
    why: "now and then: uploads of files that broke off"
  },
  {
    tables: ["listeners"],
    text: /FROM listeners WHERE seen_until <= /,
    why: "every minute: developers who went away; a handful of rows"
  },
  {
    tables: ["strike_warnings"],
    text: /FROM strike_warnings WHERE \(app_id COLLATE "C", delivery_id COLLATE "C"\) > /,
    why: "every minute: warnings that are to be mailed; a handful of rows"
  }
]
