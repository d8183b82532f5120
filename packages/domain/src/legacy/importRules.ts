import { Effect, Either, Option, Schema } from "effect"
import { WebhookSender } from "../endpoints/WebhookSender.js"
import { Timestamp, Vault, program } from "../shared/index.js"
import { LegacyStore } from "./LegacyStore.js"
import * as Receiver from "./Receiver.js"
import * as RuleImport from "./RuleImport.js"

/** The maximum number of host names that are looked up at the same time. */
const LOOK_UPS_AT_ONCE = 8

export interface RulesImported {
  readonly imported: number
  /** The number of rules in the file that an earlier import stored. Some of them may have been deleted since. */
  readonly known: number
}

/** The file has faults, and nothing was stored. The faults are in the order of the file. */
export class RulesNotImported extends Schema.TaggedError<RulesNotImported>()("RulesNotImported", {
  faults: Schema.NonEmptyArray(
    Schema.Struct({ line: Schema.Int, field: Schema.NullOr(Schema.String), message: Schema.String })
  )
}) {
  override get message(): string {
    return "The file has faults, and no rule was stored"
  }
}

/**
 * Stores the rules of the file, or fails with all faults and stores nothing (Spec §6.4.9). Rules that an earlier import
 * stored are skipped, so a second import of the file stores nothing.
 */
export const importRules = program("importRules", function* (text: string) {
  const store = yield* LegacyStore
  const { faults, lines } = RuleImport.read(text, yield* Timestamp.now)
  const refused = yield* refusedAddresses(lines.map(({ url }) => url))
  const ready: Array<RuleImport.Ready> = []
  const found = [...faults]
  for (const line of lines) {
    const reason = refused.get(line.url)
    if (reason !== undefined) found.push({ line: line.number, field: "webhook_url", message: reason })
    const owner = yield* store.findOwner(line.owner)
    if (Option.isSome(owner)) ready.push(yield* sealed(line, owner.value))
    else found.push({ line: line.number, field: ownerField(line), message: "must be of a connection of this service" })
  }
  found.push(...RuleImport.repeated(ready))
  const requested = ready.map(({ line, owner }) => ({ owner, id: line.id }))
  const decided = yield* store.importRules(requested, (state, now) => RuleImport.decide(ready, found, state, now))
  if (Either.isRight(decided)) {
    return { imported: decided.right.length, known: ready.length - decided.right.length } satisfies RulesImported
  }
  const [first, ...rest] = decided.left
  return yield* first === undefined
    ? Effect.dieMessage("an import was refused without a fault")
    : new RulesNotImported({ faults: [first, ...rest] })
})

const ownerField = ({ owner }: RuleImport.Line): string => ("connectionId" in owner ? "connection_id" : "sub")

/**
 * For each address, why it may not be used; undefined when it may be used. Each address is checked once, with the check
 * for addresses of new endpoints.
 */
const refusedAddresses = (urls: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sender = yield* WebhookSender
    const checked = yield* Effect.forEach(
      new Set(urls),
      (url) => Effect.map(sender.checkUrl(url), (reason) => [url, reason] as const),
      { concurrency: LOOK_UPS_AT_ONCE }
    )
    return new Map(checked)
  })

const sealed = (line: RuleImport.Line, owner: RuleImport.RuleOwner) =>
  Effect.map(
    Effect.flatMap(Vault.Vault, (vault) => vault.seal(line.secret, Receiver.sealContext(owner.userId, line.id))),
    (sealed): RuleImport.Ready => ({ line, owner, sealed })
  )
