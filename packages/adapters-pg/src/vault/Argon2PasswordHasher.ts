import { hash, verify, type Options } from "@node-rs/argon2"
import { PasswordHasher } from "@place-access/domain/accounts"
import { Effect, Layer } from "effect"

/**
 * OWASP's first recommendation for argon2id: 19 MiB, two passes, one lane. The library's default algorithm is argon2id.
 */
const OPTIONS: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * How many hashes are computed at the same time. A hash takes 19 MiB and one thread of Node's pool, which look-ups of
 * files and host names share. When many people sign in at the same time, they wait for each other and do not stop the
 * rest of the process.
 */
const AT_ONCE = 2

/**
 * Unicode has several forms of the same character, and keyboards send different ones. Normalizing makes them equal
 * (NIST SP 800-63B §3.1.1.2).
 */
const normalise = (password: string): string => password.normalize("NFKC")

/**
 * The length, in UTF-16 units, of the longest text that can be a password: 200 characters, each of which some keyboards
 * send as up to four code points of two units. Normalizing a longer text could take hundreds of milliseconds.
 */
const LONGEST = 200 * 4 * 2

/**
 * The 49,000 commonest passwords that zxcvbn counted in leaked data. The list also has passwords that are too short,
 * because a longer password may contain one of them. The list takes 80 ms and 6 MB, so it is loaded when the first
 * password is set.
 */
const common = Effect.map(
  Effect.promise(() => import("@zxcvbn-ts/language-common")),
  (module) => {
    // The module is CommonJS: in a bundle, only the import's `default` has the content.
    const list = new Set(module.default.dictionary["passwords-common"])
    return (text: string): boolean => list.has(text)
  }
)

export const layer: Layer.Layer<PasswordHasher> = Layer.effect(
  PasswordHasher,
  Effect.gen(function* () {
    const gate = yield* Effect.makeSemaphore(AT_ONCE)
    const nobody = yield* Effect.promise(() => hash("the password of nobody at all", OPTIONS))
    const check = (stored: string, password: string): Effect.Effect<boolean> =>
      gate.withPermits(1)(
        Effect.orElseSucceed(
          // A text that is too long to be a password is not normalized. The empty text is verified in its place: no
          // password is empty, so the verification fails, and takes as long as any other.
          Effect.tryPromise(() => verify(stored, password.length > LONGEST ? "" : normalise(password))),
          () => false
        )
      )
    return {
      common: yield* Effect.cached(common),
      hash: (password) => gate.withPermits(1)(Effect.promise(() => hash(normalise(password), OPTIONS))),
      verify: check,
      waste: (password) => Effect.asVoid(check(nobody, password))
    }
  })
)
