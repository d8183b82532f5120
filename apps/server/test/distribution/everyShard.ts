/** A statement that may ask every shard, because no phone and no app waits for its result. */
export interface OnPurpose {
  /** The distributed tables that the statement reads or writes without a condition on their key. */
  readonly tables: ReadonlyArray<string>
  /** Matches the statement's text without comments and with single spaces. */
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
    tables: ["workers"],
    text: /^SELECT worker_id, alive_until FROM workers$/,
    why: "every two seconds: a worker counts the workers; a handful of rows"
  },
  {
    tables: ["workers"],
    text: /^DELETE FROM workers WHERE alive_until < /,
    why: "once an hour: a worker forgets those that ended long ago; a handful of rows"
  },
  {
    tables: ["deliveries", "endpoints"],
    text: /WITH RECURSIVE waiting AS .* FROM deliveries WHERE state = 'trying' ORDER BY app_id, endpoint_id LIMIT 1/,
    why: "a worker looks at which endpoints something waits, of any app; what it then takes names the app"
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
    tables: ["connections"],
    text: /FROM \(SELECT connected_at, ended_at FROM connections WHERE app_id = \$\d ORDER BY connected_at DESC LIMIT/,
    why: "a page of a developer's: how many connected the app, of its newest connections"
  },
  {
    tables: ["rule_states"],
    text: /FROM rule_states WHERE settle_due_at <= /,
    why: "every five seconds: people with a crossing that settles now, from an index that is nearly always empty"
  },
  {
    tables: ["devices", "stay_backfills"],
    text: /FROM devices WHERE stays_due_from < .* UNION SELECT user_id, device_id FROM stay_backfills/,
    why: "every five minutes: phones whose stays were left behind"
  },
  {
    tables: ["devices"],
    text: /FROM devices d WHERE d\.stays_rule < /,
    why: "every five minutes: phones whose stays an older rule derived, until there is none"
  },
  {
    tables: ["access_log", "volume_flags"],
    text: /^INSERT INTO volume_flags /,
    why: "once an hour: everybody's calls of a day are counted"
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
      "mail_outbox",
      "named_mail",
      "volume_flags",
      "audit_events",
      "app_calls",
      "app_hours",
      "endpoint_hours"
    ],
    text: /^SELECT [a-z_, ]+ FROM "\w+" t WHERE "\w+" <= \$1 AND .* ORDER BY "\w+" LIMIT/,
    why: "retention: what is old, whosesoever, by an index on its age"
  },
  {
    tables: ["events"],
    text: /FROM events t WHERE fanned_out_at <= /,
    why: "retention: events of a week ago and older, whosesoever, by an index on their age"
  },
  {
    tables: ["mail_outbox"],
    text: /FROM mail_outbox WHERE sent_at IS NULL AND given_up_at IS NULL AND due_at <= .* ORDER BY/,
    why: "who sends mail takes whoever's waits; small, by an index of what waits"
  },
  {
    tables: ["account_deletions"],
    text: /FROM account_deletions WHERE look_at <= /,
    why: "a worker takes whichever account is on its way out; a handful of rows"
  },
  {
    tables: ["imports"],
    text: /FROM imports WHERE state IN \('waiting', 'running', 'undoing'\)/,
    why: "a worker takes whichever file waits; a handful of rows"
  },
  {
    tables: ["imports"],
    text: /FROM imports WHERE \(\(state = 'uploading' AND uploaded_at < /,
    why: "now and then: uploads of files that broke off, and tables that nobody confirmed"
  },
  {
    tables: ["exports"],
    text: /FROM exports WHERE state IN \('requested', 'making'\)/,
    why: "a worker takes whichever archive is to be made; a handful of rows"
  },
  {
    tables: ["exports"],
    text: /FROM exports WHERE (?:state = 'ready' AND expires_at|ended_at) <=? /,
    why: "now and then: archives whose time is over; a handful of rows"
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

/**
 * Statements about both persons and apps. Only a database of one server gets them: on a cluster, where the rows are on
 * different nodes, each of them is several statements.
 */
export const ONE_SERVER: ReadonlyArray<Pick<OnPurpose, "text" | "why">> = [
  {
    text: /^WITH due AS \(SELECT user_id, event_id, .* FROM events WHERE fanned_out_at IS NULL AND fan_out_due_at <= /,
    why: "a worker reads few waiting events together with what their first attempts need"
  },
  {
    text: /^WITH attempted AS .* INSERT INTO deliveries .* UPDATE events e SET fanned_out_at = /,
    why: "the only delivery of an event is stored, and its event is marked"
  }
]
