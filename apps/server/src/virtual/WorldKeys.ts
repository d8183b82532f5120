import { NodeVault } from "@place-access/adapters-pg"
import type { Settings } from "@place-access/worker"
import { Effect, Either, Option } from "effect"
import { createHash } from "node:crypto"
import * as Mark from "./Mark.js"

/**
 * The settings with the key of the test world. With a seed and without SECRET_KEYS, the service's key is derived from
 * the seed too, because some tokens are derived from that key (decision virtual-time-5).
 */
export const ofWorld = (storage: Settings.Storage, { seed }: Pick<Mark.Mark, "seed">): Settings.Storage => {
  if (storage._tag === "Postgres" || Option.isSome(storage.keys) || seed === null) return storage
  const key = createHash("sha256").update(`${seed}\nkey`).digest("base64")
  return { ...storage, keys: Option.some(Either.getOrThrow(NodeVault.parseKeys(`seed:${key}`))) }
}

/**
 * The settings with the key of the data folder, for commands that read the folder while no server runs on it. The
 * settings stay as they are when the folder is no test world with a seed, when its mark is damaged, or when SECRET_KEYS
 * is set.
 */
export const ofFolder = (storage: Settings.Storage): Effect.Effect<Settings.Storage> =>
  storage._tag === "Postgres"
    ? Effect.succeed(storage)
    : Effect.match(Mark.read(storage.dataDir), {
        onFailure: () => storage,
        onSuccess: Option.match({ onNone: () => storage, onSome: (mark) => ofWorld(storage, mark) })
      })
