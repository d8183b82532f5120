import { expect, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import * as MemoryEntropy from "../../../testing/memory/vault/MemoryEntropy.js"
import * as MemoryVault from "../../../testing/memory/vault/MemoryVault.js"
import { memory } from "../../../testing/simulation/ports/MemoryBackend.js"
import { STORES, type StoreName } from "../../../testing/simulation/ports/Ports.js"
import { storesNothing } from "../../../testing/simulation/ports/reads.js"

/** For each store, the methods that write. These methods must fail while the disk is full. */
const WRITES: Readonly<Record<StoreName, string>> = {
  AccessLogStore: "record recordRepeat recordUnless",
  AccountDeletionStore: "begin removeSome lookAgain finish",
  AccountStore:
    "create addRoles learnTimeZone chooseTimeZone learnLanguage chooseLanguage chooseNotices changeName openSession " +
    "renewSession confirmSession closeSession closeOtherSessions admitTry failTry clearTries",
  AppStore: "create update",
  ConnectionStore: "change archivePlace",
  ConsentStore: "createRequest decideRequest",
  CredentialStore: "offerLink replacePassword replaceAddress useLink requestSignUp confirmSignUp",
  DeliveryStore: "insert insertAttempted claim finish recordTest replay hurry recover",
  DeviceStore: "create takeSetupLink sendsVisits keepAtHome remove",
  EndpointStore: "create update remove forgetWarning",
  EventStore: "postpone markFannedOut",
  ExportSource: "",
  ExportStore: "request claim append renew handBack finish remove expire",
  FactorStore: "change keepChallenge takeChallenge",
  FiguresStore: "add",
  FixHistory: "",
  FixStore: "commit commitSettled",
  HistoryStore: "choose erase removePast",
  IdempotencyStore: "once",
  ImportStore: "begin append complete confirm remove claim renew handBack advance finish beginUndo undo dropBrokenOff",
  LeaseStore: "beat take giveUp leave forgetDead",
  LegacyStore: "subscribe unsubscribe importRules",
  LimitStore: "count ask",
  ListenerStore: "open renew offer take close",
  MailOutbox: "put begin finish",
  PlaceStore: "create update",
  PurposeStore: "create update",
  RetentionStore: "remove removeEvents",
  ReviewStore: "",
  RuleStore: "create createZone remove",
  ServiceStore: "",
  StaffStore: "change",
  StayStore: "commit",
  TeamStore: "update",
  TestPersonStore: "create",
  TierStore: "sweep",
  TokenStore: "change",
  VisitStore: "",
  VolumeFlagStore: "raise"
}

const portsOf = (): Context.Context<never> =>
  Effect.context<never>().pipe(
    Effect.provide(memory.stores.pipe(Layer.provide(Layer.mergeAll(MemoryEntropy.layer, MemoryVault.layer)))),
    Effect.runSync
  )

it("every method of every store is known to read or to write", () => {
  const ports = portsOf()
  for (const [port, tag] of Object.entries(STORES)) {
    const name = port as StoreName
    const methods = Object.keys(Context.unsafeGet(ports, tag as unknown as Context.Tag<never, object>))
    const written = methods.filter((method) => !storesNothing(name, method))
    expect(written.sort(), `${port}: add a method that only reads to READS, and each other method here`).toEqual(
      WRITES[name].split(" ").filter(Boolean).sort()
    )
  }
})
