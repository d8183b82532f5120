import type { Context } from "effect"
import type { STORES, StoreName } from "./Ports.js"

type MethodsOf<P extends StoreName> = ReadonlyArray<keyof Context.Tag.Service<(typeof STORES)[P]>>

/**
 * The methods that store nothing. These methods work while the disk is full. Their calls have no effect for which
 * another fiber could wait. A test has the list of all methods that write, and fails when a new method is on neither
 * list.
 */
const READS: { readonly [P in StoreName]: MethodsOf<P> } = {
  AccessLogStore: ["list", "countUses", "tally", "lastAnswered"],
  AccountDeletionStore: ["describe", "due"],
  AccountStore: [
    "find",
    "findByEmail",
    "hasAnother",
    "hasFactor",
    "notices",
    "listNotified",
    "findSession",
    "listSessions"
  ],
  AppStore: ["find", "findRegistered", "members", "listOf", "list", "findLogo"],
  ConnectionStore: [
    "findOfUser",
    "findOfApp",
    "history",
    "findLive",
    "listOfUser",
    "listOfApp",
    "revokedApps",
    "listRevoked"
  ],
  ConsentStore: ["findRequest"],
  CredentialStore: ["findLink", "findSignUp", "newestSignUp"],
  DeliveryStore: ["nextDueAt", "find", "list"],
  DeviceStore: ["list", "findByToken"],
  EndpointStore: ["find", "list", "listWarnings"],
  EventStore: ["pending", "authorisation"],
  ExportSource: ["devices", "letters"],
  ExportStore: ["list", "find", "due", "piece"],
  FactorStore: ["read"],
  FiguresStore: ["hours", "calls", "attempts", "newest", "waiting", "users"],
  FixHistory: ["newest", "around", "range", "tally", "sent"],
  FixStore: ["view", "settling", "waiting", "latest", "lastReceivedAt"],
  HistoryStore: ["choice", "survey", "listOverdue", "erasures"],
  IdempotencyStore: [],
  ImportStore: ["list", "find", "due", "piece"],
  LeaseStore: ["survey"],
  LegacyStore: ["subscriptions", "isSubscribed", "receivers", "findOwner"],
  LimitStore: [],
  ListenerStore: ["live", "waiting", "expired"],
  MailOutbox: ["due", "recent"],
  PlaceStore: ["find", "list", "shapes"],
  PurposeStore: ["list", "approvals", "find"],
  RetentionStore: [],
  ReviewStore: ["queue", "decisions", "leaks"],
  RuleStore: ["list", "find", "evaluations"],
  ServiceStore: ["counts"],
  StaffStore: ["list"],
  StayStore: ["due", "behind", "outdated", "view", "heardBefore", "openAt", "fixes"],
  TeamStore: ["find", "listInvited"],
  TestPersonStore: ["list", "find", "listStray"],
  TierStore: ["due"],
  TokenStore: ["findByAccessToken"],
  VisitStore: ["stays", "ends", "staysWithin", "medians", "reportsWithin", "reports"],
  VolumeFlagStore: ["list", "listOfUser"]
}

const NAMES: ReadonlySet<string> = new Set(
  Object.entries(READS).flatMap(([port, methods]) => methods.map((method) => `${port}.${method}`))
)

/** Whether the method stores nothing. */
export const storesNothing = (port: StoreName, method: string): boolean => NAMES.has(`${port}.${method}`)
