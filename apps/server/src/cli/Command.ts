import { Account } from "@place-access/domain/accounts"
import { AppId, UserId } from "@place-access/domain/shared"
import { Either, Option, Schema } from "effect"
import { parseArgs } from "node:util"
import type { AccountCommand, AccountName } from "../operator/AccountCommand.js"
import * as Span from "../virtual/Span.js"
import type { VirtualOptions } from "../virtual/VirtualOptions.js"
import { argumentsProblem } from "./argumentsProblem.js"

/** A parsed command line. */
export type Command =
  | { readonly _tag: "Serve"; readonly virtual?: VirtualOptions }
  | { readonly _tag: "Migrate" }
  | { readonly _tag: "Help" }
  | { readonly _tag: "Version" }
  | { readonly _tag: "ImportRules"; readonly file: string }
  | { readonly _tag: "Backup"; readonly to: string; readonly json: boolean }
  | { readonly _tag: "CopyDatabase"; readonly from: string }
  | { readonly _tag: "Distribute"; readonly dryRun: boolean; readonly shards: number }
  | {
      readonly _tag: "AboutAccounts"
      readonly command: AccountCommand
      /** Whether to print one line of JSON instead of sentences. */
      readonly json: boolean
      readonly isConfirmed: boolean
    }
  | { readonly _tag: "Doctor" | "KeysStatus" | "KeysReencrypt"; readonly json: boolean }
  | {
      readonly _tag: "Isolate"
      readonly appId: AppId
      readonly node: { readonly host: string; readonly port: number } | undefined
    }
  | {
      readonly _tag: "CreateAccount"
      readonly email: Account.Email
      readonly roles: ReadonlyArray<Account.Role>
      readonly displayName: Account.DisplayName | undefined
      /** Whether to read the password from standard input. Otherwise the command asks for one or generates one. */
      readonly passwordFromStdin: boolean
    }

/** Parses the arguments; a Left says in one sentence what is wrong. */
export const parse = (argv: ReadonlyArray<string>): Either.Either<Command, string> => {
  const [first, second, ...rest] = argv
  if (argv.includes("--help") || argv.includes("-h") || first === "help") return Either.right({ _tag: "Help" })
  if (first === "--version" || first === "-v" || first === "version") {
    return alone(first === "version" ? first : "--version", argv.slice(1), { _tag: "Version" })
  }
  if (first === undefined || first === "serve") return serve(argv.slice(1))
  if (first === "--clock" || first === "--seed" || first === "--at") return serve(argv)
  if (first === "migrate") return alone("migrate", argv.slice(1), { _tag: "Migrate" })
  if (first === "account" && second === "create") return createAccount(rest)
  if (first === "account" && second !== undefined) {
    const tag = Object.hasOwn(ABOUT_ACCOUNT, second) ? ABOUT_ACCOUNT[second] : undefined
    if (tag !== undefined) return aboutAccounts(second, tag, rest)
  }
  if (first === "doctor") return reporting("doctor", { _tag: "Doctor" }, argv.slice(1))
  if (first === "keys" && second === "status") return reporting("keys status", { _tag: "KeysStatus" }, rest)
  if (first === "keys" && second === "reencrypt") return reporting("keys reencrypt", { _tag: "KeysReencrypt" }, rest)
  if (first === "backup") return backup(argv.slice(1))
  if (first === "rules" && second === "import") return importRules(rest)
  if (first === "db" && second === "distribute") return distribute(rest)
  if (first === "db" && second === "copy") return copyDatabase(rest)
  if (first === "db" && second === "isolate") return isolate(rest)
  if (first.startsWith("-")) {
    return Either.left(`There is no option ${first}. Other settings are environment variables.`)
  }
  const words = [first, second].filter((word) => word !== undefined).join(" ")
  const next = Object.hasOwn(SECOND_WORDS, first) ? ` After "${first}" comes ${SECOND_WORDS[first]}.` : ""
  return Either.left(`There is no command "${words}".${next}`)
}

const serve = (args: ReadonlyArray<string>): Either.Either<Command, string> =>
  Either.gen(function* () {
    if (args.length === 0) return { _tag: "Serve" } as const
    const { at, clock, seed } = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...args],
          strict: true,
          options: { clock: { type: "string" }, seed: { type: "string" }, at: { type: "string" } }
        }).values,
      catch: () => '"serve" takes no arguments but --clock virtual, --seed and --at.'
    })
    if (clock === undefined) return yield* Either.left("--seed and --at need --clock virtual.")
    if (clock !== "virtual") return yield* Either.left('--clock can only be "virtual".')
    if (seed !== undefined && !/^[\w.-]{1,64}$/.test(seed)) {
      return yield* Either.left("--seed must be 1 to 64 letters, digits, dots, dashes or underscores.")
    }
    const moment = at === undefined ? Option.none<number>() : Span.parseMoment(at)
    if (at !== undefined && Option.isNone(moment)) {
      return yield* Either.left("--at must be a moment such as 2026-01-05T09:00:00Z.")
    }
    if (Option.isSome(moment) && !Span.isReachable(moment.value)) {
      return yield* Either.left("--at must lie between the years 1970 and 8999.")
    }
    return { _tag: "Serve", virtual: { seed: seed ?? null, at: Option.getOrNull(moment) } } as const
  })

const alone = (name: string, rest: ReadonlyArray<string>, command: Command): Either.Either<Command, string> =>
  rest.length === 0 ? Either.right(command) : Either.left(`"${name}" takes no arguments.`)

/** The account commands that `aboutAccounts` parses: all but `account create`, which has other options. */
type AboutTag = Exclude<AccountCommand["_tag"], "Create">

const ABOUT_ACCOUNT: Readonly<Record<string, AboutTag>> = {
  list: "List",
  show: "Show",
  role: "Role",
  "reset-link": "ResetLink",
  "end-sessions": "EndSessions",
  "remove-factor": "RemoveFactor",
  suspend: "Suspend",
  resume: "Resume",
  confirm: "Confirm",
  address: "Address",
  delete: "Delete"
}

/** The second words of the commands that consist of two words. */
const SECOND_WORDS: Readonly<Record<string, string>> = {
  account: `create, ${Object.keys(ABOUT_ACCOUNT).slice(0, -1).join(", ")} or delete`,
  keys: "status or reencrypt",
  db: "copy, distribute or isolate",
  rules: "import"
}

const aboutAccounts = (name: string, _tag: AboutTag, args: ReadonlyArray<string>): Either.Either<Command, string> =>
  Either.gen(function* () {
    const { positionals, values } = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...args],
          strict: true,
          allowPositionals: true,
          options: {
            json: { type: "boolean", default: false },
            ...(_tag === "Delete" ? { yes: { type: "boolean", default: false } as const } : {})
          }
        }),
      catch: argumentsProblem
    })
    const command = yield* commandOf(name, _tag, positionals)
    return { _tag: "AboutAccounts", command, json: values.json, isConfirmed: "yes" in values && values.yes === true }
  })

const commandOf = (name: string, _tag: AboutTag, words: ReadonlyArray<string>): Either.Either<AccountCommand, string> =>
  Either.gen(function* () {
    if (_tag === "List") {
      return words.length === 0 ? { _tag } : yield* Either.left('"account list" takes no address.')
    }
    if (_tag === "Address") {
      const [named, email, ...more] = words
      if (named === undefined || email === undefined || more.length > 0) {
        return yield* Either.left('"account address" takes the address or the id of one account, and its new address.')
      }
      return { _tag, account: yield* accountName(named), email: yield* decode("The address", Account.Email, email) }
    }
    const [named, how, role, ...more] = words
    const isRole = _tag === "Role"
    if (named === undefined || (isRole ? role === undefined || more.length > 0 : how !== undefined)) {
      return yield* Either.left(
        isRole
          ? '"account role" takes an e-mail address or an id, give or take, and a role.'
          : `"account ${name}" takes the e-mail address or the id of one account.`
      )
    }
    const account = yield* accountName(named)
    if (!isRole) return { _tag, account }
    if (how !== "give" && how !== "take") return yield* Either.left('Say "give" or "take" before the role.')
    return { _tag, account, isGiven: how === "give", role: yield* decodeRole("The role", role ?? "") }
  })

/** Every id of an account has this form. No e-mail address has this form, because every address contains an @. */
const isId = (text: string): boolean => /^usr_[0-9A-Za-z]+$/.test(text)

const accountName = (text: string): Either.Either<AccountName, string> =>
  isId(text)
    ? Either.right(UserId.make(text))
    : Either.mapLeft(decode("The address", Account.Email, text), (problem) =>
        problem.replace(/\.$/, ", or the id of an account.")
      )

/** Parses a command that prints a report and has no option but `--json`. */
const reporting = (
  name: string,
  command: { readonly _tag: "Doctor" | "KeysStatus" | "KeysReencrypt" },
  rest: ReadonlyArray<string>
): Either.Either<Command, string> =>
  rest.every((word) => word === "--json")
    ? Either.right({ ...command, json: rest.length > 0 })
    : Either.left(`"${name}" takes nothing but --json.`)

const importRules = ([file, ...more]: ReadonlyArray<string>): Either.Either<Command, string> =>
  file === undefined || file.startsWith("-") || more.length > 0
    ? Either.left('"rules import" takes the name of one file.')
    : Either.right({ _tag: "ImportRules", file })

const backup = (words: ReadonlyArray<string>): Either.Either<Command, string> => {
  const [to, ...more] = words.filter((word) => word !== "--json")
  return to === undefined || to.startsWith("-") || more.length > 0
    ? Either.left('"backup" takes the name of one new folder.')
    : Either.right({ _tag: "Backup", to, json: words.includes("--json") })
}

const copyDatabase = ([from, ...more]: ReadonlyArray<string>): Either.Either<Command, string> =>
  from === undefined || from.startsWith("-") || more.length > 0
    ? Either.left('"db copy" takes the data folder of one embedded database.')
    : Either.right({ _tag: "CopyDatabase", from })

/**
 * The number of shards. A shard always moves as a whole, so 64 shards can be spread over up to 64 nodes. On a single
 * node, 64 shards cost little.
 */
const SHARDS = { default: 64, max: 1_024 } as const

const distribute = (args: ReadonlyArray<string>): Either.Either<Command, string> =>
  Either.gen(function* () {
    const { "dry-run": dryRun, shards } = yield* Either.try({
      try: () =>
        parseArgs({
          args: [...args],
          strict: true,
          options: {
            "dry-run": { type: "boolean", default: false },
            shards: { type: "string", default: String(SHARDS.default) }
          }
        }).values,
      catch: argumentsProblem
    })
    const count = /^\d{1,5}$/.test(shards) ? Number(shards) : 0
    if (count < 1 || count > SHARDS.max) {
      return yield* Either.left(`--shards must be a whole number from 1 to ${SHARDS.max}.`)
    }
    return { _tag: "Distribute", dryRun, shards: count } as const
  })

const isolate = (args: ReadonlyArray<string>): Either.Either<Command, string> =>
  Either.gen(function* () {
    const { positionals, values } = yield* Either.try({
      try: () =>
        parseArgs({ args: [...args], strict: true, allowPositionals: true, options: { node: { type: "string" } } }),
      catch: argumentsProblem
    })
    const [app, ...more] = positionals
    if (app === undefined || more.length > 0) return yield* Either.left('"db isolate" takes the id of one app.')
    const appId = yield* Either.mapLeft(Schema.decodeUnknownEither(AppId)(app), () => "APP must be the id of an app.")
    const node = values.node === undefined ? undefined : yield* nodeAddress(values.node)
    return { _tag: "Isolate", appId, node } as const
  })

/** Splits host and port at the last colon, because a host may be an IPv6 address, which contains colons. */
const nodeAddress = (text: string): Either.Either<{ readonly host: string; readonly port: number }, string> => {
  const [, host = "", digits = ""] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  const port = Number(digits)
  return host === "" || port < 1 || port > 65_535
    ? Either.left("--node must be a host and a port, such as 10.0.0.4:5432.")
    : Either.right({ host, port })
}

const createAccount = (args: ReadonlyArray<string>): Either.Either<Command, string> =>
  Either.gen(function* () {
    const given = yield* options(args)
    if (given.email === undefined) return yield* Either.left("--email is missing.")
    const email = yield* decode("--email", Account.Email, given.email)
    const roles = yield* Either.all(given.role.map((role) => decodeRole("--role", role)))
    const displayName = given.name === undefined ? undefined : yield* decode("--name", Account.DisplayName, given.name)
    return { _tag: "CreateAccount", email, roles, displayName, passwordFromStdin: given["password-stdin"] } as const
  })

const options = (args: ReadonlyArray<string>) =>
  Either.try({
    try: () =>
      parseArgs({
        args: [...args],
        strict: true,
        options: {
          email: { type: "string" },
          name: { type: "string" },
          role: { type: "string", multiple: true, default: [] },
          "password-stdin": { type: "boolean", default: false }
        }
      }).values,
    catch: (error) => refusal(args, error)
  })

const refusal = (args: ReadonlyArray<string>, error: unknown): string =>
  args.some((arg) => /^--?p(?:ass(?:word)?)?(?:=|$)/.test(arg))
    ? "A password cannot be an argument: everybody on this machine could read it. Use --password-stdin, or type it when asked."
    : argumentsProblem(error)

const decode = <A, I extends string>(
  name: string,
  schema: Schema.Schema<A, I>,
  text: string
): Either.Either<A, string> =>
  Either.mapLeft(Schema.decodeUnknownEither(schema)(text), (error) => `${name}: ${error.message.split("\n").at(-1)}.`)

const decodeRole = (name: string, text: string): Either.Either<Account.Role, string> =>
  Either.mapLeft(
    Schema.decodeUnknownEither(Account.Role)(text),
    () => `${name} must be one of ${Account.Role.literals.join(", ")}.`
  )
