import type { FaultKind } from "../Trace.js"
import type { Reply } from "../world/Receivers.js"

/**
 * The steps of a run, as plain data. A generator can make a plan, shrinking can make the plan shorter, and a developer
 * can paste the plan into a test. A step names a person, an app or a rule by its index in the list of that kind
 * (`Cast`), modulo the length of the list. A run skips each step that is impossible at its time, so a plan stays valid
 * when steps are removed.
 */
export interface Plan {
  /** The seed that decides the order of fibers, the ids, and when faults strike. */
  readonly seed: number
  readonly scheduling: "fifo" | "random"
  readonly workers: number
  /** The probability (0 to 1) of each fault at one port call, upload, webhook or mail. Applies from the first step. */
  readonly faults: Partial<Readonly<Record<FaultKind, number>>>
  /** The number of people. Each person has a Home, a Work and a phone. */
  readonly people: number
  /**
   * The number of apps. Each app is in production, and has a webhook endpoint for all events and a purpose that covers
   * every sensitive scope.
   */
  readonly apps: number
  /** Whether there is an additional app, in the sandbox and owned by the first person. */
  readonly hasSandbox: boolean
  readonly steps: ReadonlyArray<PlanStep>
}

export type PlanStep = Deed | Course

/** An action of a person, an app or a developer, or a fault, at one time. */
export type Deed =
  | AccountDeed
  | PeopleDeed
  | SteeringDeed
  | ConsentDeed
  | AppDeed
  | DeveloperDeed
  | ListenerDeed
  | ImportDeed
  | StaffDeed
  | Trouble

/** A step in which time passes, or which has several deeds. */
export type Course =
  | { readonly do: "wait"; readonly ms: number }
  /**
   * Waits until `offsetMs` milliseconds after `moment`, a time that the specification defines, or before `moment` when
   * the number is negative. Skipped when the moment has no time (such as the opening of a window that has no
   * beginning), when this time has passed, or when the moment is over 120 days away.
   */
  | { readonly do: "until"; readonly moment: Moment; readonly of: number; readonly offsetMs: number }
  /** Several deeds. Each begins `apartMs` milliseconds after the deed before, so the deeds may overlap. */
  | { readonly do: "together"; readonly apartMs: number; readonly deeds: ReadonlyArray<Deed> }
  /** A phone crosses the boundary of a place, in or out. The phone sends two fixes, `pauseMs` milliseconds apart. */
  | ({ readonly do: "walk"; readonly way: "in" | "out"; readonly pauseMs: number } & AtEdge)
  /** A phone crosses the boundary of a place in and out, `times` times (at most 30). */
  | ({ readonly do: "commute"; readonly times: number; readonly pauseMs: number } & AtEdge)
  /**
   * The app asks for the latest fix `times` times (at most 30), for example to exceed the expected daily volume of a
   * purpose.
   */
  | { readonly do: "calls"; readonly connection: number; readonly times: number; readonly purpose: Purpose }

/**
 * A time that the specification defines for a connection, an endpoint, a rule or a person.
 */
export type Moment =
  | "code ends"
  | "access ends"
  | "race ends"
  | "standard ends"
  | "sensitive ends"
  | "fourteen days left"
  | "seven days left"
  | "grace ends"
  | "old secret ends"
  | "window opens"
  | "window closes"
  | "window is late"
  | "dwelt"
  | "cooled down"
  | "session idle"
  | "session over"
  | "guesses forgotten"
  | "pause ends"

interface AtEdge {
  readonly person: number
  readonly phone: number
  readonly place: number
  /** The distance of both fixes from the boundary of the place, in metres. One fix lies inside, the other outside. */
  readonly metres: number
  readonly accuracyM: number | null
}

type AccountDeed =
  /**
   * `old`: the password whose number (`Cast.ts`) is one less than that of the present password; normally the earlier
   * password. `address` stands for a network address; sign-in attempts from one address are counted together.
   */
  | { readonly do: "sign in"; readonly person: number; readonly password: PasswordKind; readonly address: number }
  /**
   * `back` is the position of the cookie among the person's cookies, counted from the newest (0). The person or a thief
   * uses the cookie.
   */
  | { readonly do: "use cookie" | "sign out" | "end other sessions"; readonly person: number; readonly back: number }
  | {
      readonly do: "change password"
      readonly person: number
      readonly back: number
      readonly password: PasswordKind
      readonly address: number
    }
type PasswordKind = "right" | "old" | "guess"

type PeopleDeed =
  | {
      readonly do: "place"
      readonly person: number
      readonly label: string
      readonly kind: string
      readonly northM: number
      readonly radiusM: number
    }
  | {
      readonly do: "edit place"
      readonly person: number
      readonly place: number
      readonly edit: { readonly label: string } | { readonly northM: number } | { readonly radiusM: number }
    }
  | { readonly do: "archive place"; readonly person: number; readonly place: number }
  | { readonly do: "add phone"; readonly person: number }
  | { readonly do: "remove phone" | "offline"; readonly person: number; readonly phone: number }
  /** `duplicate`: the number of times, at most 30, that the phone sends each reading that it stored while offline. */
  | {
      readonly do: "online"
      readonly person: number
      readonly phone: number
      readonly shuffle: boolean
      readonly duplicate: number
    }
  /**
   * `edgeM`: the distance from the boundary of the place in metres, negative inside. `ageMs`: the time since the
   * capture, negative for a capture in the future.
   */
  | {
      readonly do: "fix"
      readonly person: number
      readonly phone: number
      readonly place: number
      readonly edgeM: number
      readonly accuracyM: number | null
      readonly ageMs: number
    }
  | {
      readonly do: "visit"
      readonly person: number
      readonly phone: number
      readonly place: number
      readonly edgeM: number
      readonly arrivedMs: number | null
      readonly stayedMs: number | null
    }
  | {
      readonly do: "share"
      readonly connection: number
      readonly places: ReadonlyArray<number>
      readonly isEarlierIncluded: boolean
    }
  | { readonly do: "disconnect"; readonly connection: number }
  | { readonly do: "user removes rule"; readonly rule: number }
  | { readonly do: "read access log"; readonly person: number }

export const PAUSES = ["hour", "day", "until_resumed"] as const

type SteeringDeed =
  | { readonly do: "pause"; readonly connection: number; readonly length: (typeof PAUSES)[number] }
  | { readonly do: "resume" | "end exact location"; readonly connection: number }
  | { readonly do: "pause all"; readonly person: number; readonly length: (typeof PAUSES)[number] }
  | { readonly do: "resume all" | "read own history"; readonly person: number }
  /** Changes scopes or end dates of a connection. A field that is null leaves its value unchanged. */
  | {
      readonly do: "steer"
      readonly connection: number
      readonly scopes: ReadonlyArray<ShortScope> | null
      readonly standardDays: 1 | 7 | 30 | 90 | "never" | null
      readonly sensitiveDays: 1 | 7 | 30 | 90 | null
    }
  /**
   * Deletes the history from `beforeMs` milliseconds before the time `around` until `afterMs` milliseconds after that
   * time.
   */
  | {
      readonly do: "erase"
      readonly person: number
      readonly around: "now" | "last fix"
      readonly beforeMs: number
      readonly afterMs: number
    }

type ConsentDeed = {
  readonly do: "consent"
  readonly person: number
  readonly app: number
  /**
   * The index of a connection: its user consents to its app once more. `person` and `app` are used only if the run has
   * no connection. Null: `person` consents to `app`.
   */
  readonly again: number | null
  /** The requested scopes, without the prefix `location.`. The user ticks all of them except for `unticked`. */
  readonly scopes: ReadonlyArray<ShortScope>
  readonly unticked: ReadonlyArray<ShortScope>
  readonly places: ReadonlyArray<number>
  readonly earlier: ReadonlyArray<number>
  readonly standardDays: 1 | 7 | 30 | 90 | null
  readonly sensitiveDays: 1 | 7 | 30 | 90
  readonly externalUserId: string | null
  /** Whether the app exchanges the code for tokens immediately. */
  readonly isExchanged: boolean
}

export const SCOPES = [
  "place.current",
  "place.lookup",
  "visits.read",
  "rules.place",
  "rules.zone",
  "zone.verify",
  "places.watch",
  "latest.read",
  "history.read",
  "lookup"
] as const
export type ShortScope = (typeof SCOPES)[number]
export const SENSITIVE = ["latest.read", "history.read", "lookup"] as const satisfies ReadonlyArray<ShortScope>

/**
 * How the app authenticates: with its own id and secret, with a wrong secret (`wrong`), or as another app (`other`).
 */
type Client = "right" | "wrong" | "other"

type AppDeed =
  | {
      readonly do: "exchange"
      readonly connection: number
      /** The position of the code, counted from the newest (0). */
      readonly back: number
      readonly verifier: "right" | "wrong"
      readonly client: Client
      /** Absent: the app sends the redirect URI of the consent. */
      readonly redirectUri?: "wrong" | undefined
    }
  | { readonly do: "refresh"; readonly connection: number; readonly back: number; readonly client: Client }
  | {
      readonly do: "revoke"
      readonly connection: number
      readonly back: number
      readonly token: "access" | "refresh" | "none"
      readonly client: Client
    }
  | {
      readonly do: "call"
      readonly connection: number
      readonly back: number
      /** Whether the app first refreshes an access token that is too old, as real apps do, and then makes the call. */
      readonly isFresh: boolean
      readonly ask: Ask
      readonly purpose: Purpose
    }
  | {
      readonly do: "rule"
      readonly connection: number
      readonly target: "place" | "zone"
      readonly place: number
      readonly radiusM: number
      readonly type: "enter" | "exit" | "dwell"
      readonly dwellMinutes: number
      /** The seconds that an enter or exit rule waits after a crossing before it fires. Absent: no wait. */
      readonly settleS?: number | undefined
      /**
       * How many seconds after the end of its dwell time a dwell rule fires without a further fix. Absent: only a fix
       * makes the rule fire.
       */
      readonly silenceS?: number | undefined
      /** The beginning of the rule's window, in milliseconds from now; null: the window has no beginning. */
      readonly fromMs: number | null
      readonly untilMs: number | null
      readonly maxEventAgeS: number | null
      /**
       * The index, among the app's endpoints, of the endpoint to which the rule's events go. -1: an address that is no
       * endpoint. Null: the rule names no endpoint.
       */
      readonly webhook: number | null
    }
  | { readonly do: "remove rule"; readonly rule: number }
  /** Reads the visits page by page, with `limit` visits on each page. */
  | { readonly do: "read visits"; readonly connection: number; readonly limit: number; readonly fromMs: number | null }

export type Purpose = "fitting" | "none" | "unknown" | number

export type Ask =
  | { readonly about: "me" | "places" | "latest" | "place rules" | "zone rules" }
  | { readonly about: "current place"; readonly maxAgeS: number }
  | { readonly about: "presence"; readonly place: number; readonly maxAgeS: number }
  | { readonly about: "zone"; readonly place: number; readonly radiusM: number; readonly maxAgeS: number }
  | { readonly about: "place at" | "location at"; readonly agoMs: number; readonly toleranceS: number }
  | { readonly about: "range" | "days"; readonly agoMs: number }

type DeveloperDeed =
  | {
      readonly do: "endpoint"
      readonly app: number
      readonly url: "new" | "same" | "http" | "private"
      readonly events: Events
    }
  | { readonly do: "edit endpoint"; readonly endpoint: number; readonly events: Events }
  | { readonly do: "script"; readonly endpoint: number; readonly replies: ReadonlyArray<Reply> }
  | {
      readonly do: "move endpoint" | "enable endpoint" | "remove endpoint" | "rotate secret" | "test endpoint"
      readonly endpoint: number
    }
  /**
   * `state`: the delivery is chosen among the deliveries in this state or, when there are none, among all deliveries.
   * Null: among all deliveries.
   */
  | {
      readonly do: "redeliver" | "retry now"
      readonly app: number
      readonly delivery: number
      readonly state: "trying" | "delivered" | "failed" | "too_old" | null
    }
  | { readonly do: "recover"; readonly endpoint: number; readonly agoMs: number }
  | { readonly do: "look" | "new secret" | "submit app"; readonly app: number }
  | { readonly do: "declare"; readonly app: number; readonly without: ReadonlyArray<ShortScope> }
  | { readonly do: "new purpose"; readonly app: number; readonly key: string; readonly terms: PurposeTerms }
  | { readonly do: "edit purpose"; readonly app: number; readonly purpose: number; readonly terms: PurposeTerms }
  | { readonly do: "submit purpose" | "archive purpose"; readonly app: number; readonly purpose: number }

interface PurposeTerms {
  readonly scopes: ReadonlyArray<(typeof SENSITIVE)[number]>
  readonly expectedDailyVolume: number
  readonly description: string
}

type ImportDeed =
  /**
   * Imports a file with three parts: the readings `from` to `from + entries - 1` of one walk five years ago; `recent`
   * readings of the last minutes; and `wrong` lines that the service cannot read. All files have readings of the same
   * walk.
   */
  | {
      readonly do: "import"
      readonly person: number
      readonly from: number
      readonly entries: number
      readonly recent: number
      readonly wrong: number
    }
  /** `back` is the position of the import among the person's imports, counted from the newest (0). */
  | { readonly do: "undo import"; readonly person: number; readonly back: number }
  | { readonly do: "read imports"; readonly person: number }

type ListenerDeed =
  /**
   * `endpoint`: the endpoint whose events the listener gets. Null: the listener gets events of the types in `events`,
   * or of all types when `events` is empty.
   */
  | {
      readonly do: "listen"
      readonly app: number
      readonly endpoint: number | null
      readonly events: Events
      readonly forMs: number
    }
  /** `end listening session`: the developer signs out of the session that opened the stream, which ends the stream. */
  | { readonly do: "stop listening" | "end listening session"; readonly listener: number }

export type Events = ReadonlyArray<
  "rule.fired" | "places.changed" | "sensitive.expiring" | "sensitive.lapsed" | "sensitive.removed"
>

type StaffDeed =
  | { readonly do: "decide purpose"; readonly app: number; readonly purpose: number; readonly decision: Decision }
  | { readonly do: "decide app"; readonly app: number; readonly decision: Decision }
  | { readonly do: "narrow app"; readonly app: number; readonly without: ReadonlyArray<ShortScope> }
  | { readonly do: "revoke app"; readonly app: number }
  | { readonly do: "read flags" }
type Decision = "approve" | "reject"

type Trouble =
  /** Kills the program. The simulation starts the program again `downMs` milliseconds later. */
  | { readonly do: "crash"; readonly program: "server" | "worker" | "worker2"; readonly downMs: number }
  | { readonly do: "jump"; readonly ms: number }
  /** Turns a fault on. `times`: how many times it strikes; null: no limit until all faults are turned off. */
  | { readonly do: "fault"; readonly fault: FaultKind; readonly p: number; readonly times: number | null }
  | { readonly do: "calm" }

export type Doing = PlanStep["do"]
