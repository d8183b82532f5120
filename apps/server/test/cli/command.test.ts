import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Either } from "effect"
import { describe, expect, it } from "vitest"
import * as Command from "../../src/cli/Command.js"
import { help } from "../../src/cli/help.js"
import * as NpmScripts from "../../src/NpmScripts.js"
import * as ServerSettings from "../../src/ServerSettings.js"

const parse = (line: string) => Command.parse(line === "" ? [] : line.split(" "))
const refusal = (line: string): string =>
  Either.match(parse(line), { onLeft: (problem) => problem, onRight: () => "accepted" })

describe("the command line", () => {
  it("without a command it serves", () => {
    expect(parse("")).toEqual(Either.right({ _tag: "Serve" }))
    expect(parse("serve")).toEqual(Either.right({ _tag: "Serve" }))
    expect(parse("migrate")).toEqual(Either.right({ _tag: "Migrate" }))
  })

  it("says which commands there are after the first word, and calls an option an option", () => {
    expect(refusal("keys statu")).toBe('There is no command "keys statu". After "keys" comes status or reencrypt.')
    expect(refusal("db")).toBe('There is no command "db". After "db" comes copy, distribute or isolate.')
    expect(refusal("rules")).toBe('There is no command "rules". After "rules" comes import.')
    expect(refusal("account suspnd a@b.example")).toContain("suspend, resume, confirm, address or delete.")
    expect(refusal("toString x")).toBe('There is no command "toString x".')
    expect(refusal("--port 3000")).toBe("There is no option --port. Other settings are environment variables.")
  })

  it("gives help wherever it is asked for", () => {
    for (const line of ["help", "--help", "-h", "account create --help"]) {
      expect(parse(line)).toEqual(Either.right({ _tag: "Help" }))
    }
  })

  it("shows the version, as an option or as a word", () => {
    for (const line of ["--version", "-v", "version"]) expect(parse(line)).toEqual(Either.right({ _tag: "Version" }))
    expect(refusal("version now")).not.toBe("accepted")
  })

  it("an account has an e-mail, any roles, and may have a name", () => {
    expect(parse("account create --email Ada@Example.com --role admin --role developer --name Ada")).toEqual(
      Either.right({
        _tag: "CreateAccount",
        email: "ada@example.com",
        roles: ["admin", "developer"],
        displayName: "Ada",
        passwordFromStdin: false
      })
    )
    expect(parse("account create --email=a@b.example --password-stdin")).toEqual(
      Either.right({
        _tag: "CreateAccount",
        email: "a@b.example",
        roles: [],
        displayName: undefined,
        passwordFromStdin: true
      })
    )
  })

  it("what an operator does about accounts names one by its e-mail address or its id, but for the list", () => {
    const about = (line: string) => Either.getOrThrow(parse(`account ${line}`))
    const defaults = { _tag: "AboutAccounts", json: false, isConfirmed: false }
    const email = "ada@example.com"
    expect(about("show Ada@Example.com")).toEqual({ ...defaults, command: { _tag: "Show", account: email } })
    expect(about(`reset-link ${email} --json`)).toEqual({
      ...defaults,
      json: true,
      command: { _tag: "ResetLink", account: email }
    })
    expect(about(`end-sessions ${email}`)).toEqual({ ...defaults, command: { _tag: "EndSessions", account: email } })
    expect(about(`suspend ${email}`)).toEqual({ ...defaults, command: { _tag: "Suspend", account: email } })
    expect(about(`resume ${email}`)).toEqual({ ...defaults, command: { _tag: "Resume", account: email } })
    expect(about("address usr_Ab12 Ada@Example.com")).toEqual({
      ...defaults,
      command: { _tag: "Address", account: "usr_Ab12", email }
    })
    expect(refusal("account address usr_Ab12")).toContain("and its new address")
    expect(refusal("account address usr_Ab12 ada")).toContain("The address: must be an e-mail address")
    expect(about("list --json")).toEqual({ ...defaults, json: true, command: { _tag: "List" } })
    expect(about(`role ${email} take admin`)).toEqual({
      ...defaults,
      command: { _tag: "Role", account: email, role: "admin", isGiven: false }
    })
    expect(about(`delete ${email} --yes`)).toEqual({
      ...defaults,
      isConfirmed: true,
      command: { _tag: "Delete", account: email }
    })
    expect(about("show usr_Ab12")).toEqual({ ...defaults, command: { _tag: "Show", account: "usr_Ab12" } })
    expect(refusal("account show usr_a.b")).toContain("must be an e-mail address")
    expect(refusal("account show")).toBe('"account show" takes the e-mail address or the id of one account.')
    expect(refusal("account reset-link a@b.example c@d.example")).toContain("one account")
    expect(refusal("account end-sessions nobody")).toBe(
      "The address: must be an e-mail address, or the id of an account."
    )
    expect(refusal("account list a@b.example")).toContain("takes no address")
    expect(refusal("account role a@b.example admin")).toContain("give or take")
    expect(refusal("account role a@b.example make admin")).toContain('"give" or "take"')
    expect(refusal("account role a@b.example give owner")).toBe("The role must be one of developer, reviewer, admin.")
    expect(refusal("account suspend a@b.example --yes")).toContain("--yes")
    expect(refusal("account toString")).toContain('"account toString"')
  })

  it("the doctor and the status of the keys take nothing but --json", () => {
    expect(parse("doctor --json")).toEqual(Either.right({ _tag: "Doctor", json: true }))
    expect(parse("keys status")).toEqual(Either.right({ _tag: "KeysStatus", json: false }))
    expect(parse("keys reencrypt --json")).toEqual(Either.right({ _tag: "KeysReencrypt", json: true }))
    expect(refusal("keys reencrypt k1")).toContain("takes nothing but --json")
    expect(refusal("doctor now")).toContain("nothing but --json")
    expect(refusal("keys")).toContain("There is no command")
  })

  it("rules are imported from one file", () => {
    expect(parse("rules import old.jsonl")).toEqual(Either.right({ _tag: "ImportRules", file: "old.jsonl" }))
    for (const line of ["rules import", "rules import a b", "rules import --file"]) {
      expect(refusal(line)).toContain('"rules import" takes the name of one file')
    }
    expect(refusal("rules export")).toContain('"rules export"')
  })

  it("the database is spread over 64 shards, or as many as are asked for, or only shown", () => {
    expect(parse("db distribute")).toEqual(Either.right({ _tag: "Distribute", dryRun: false, shards: 64 }))
    expect(parse("db distribute --dry-run --shards 128")).toEqual(
      Either.right({ _tag: "Distribute", dryRun: true, shards: 128 })
    )
    for (const shards of ["0", "1025", "-1", "1.5", "many"]) {
      expect(refusal(`db distribute --shards=${shards}`)).toBe("--shards must be a whole number from 1 to 1024.")
    }
    expect(refusal("db distribute --force")).toContain("--force")
    expect(refusal("db gather")).toContain('"db gather"')
  })

  it("an app gets a shard of its own, on its node or on the one that is named", () => {
    expect(parse("db isolate app_1")).toEqual(Either.right({ _tag: "Isolate", appId: "app_1", node: undefined }))
    expect(parse("db isolate app_1 --node 10.0.0.4:5432")).toEqual(
      Either.right({ _tag: "Isolate", appId: "app_1", node: { host: "10.0.0.4", port: 5432 } })
    )
    expect(parse("db isolate app_1 --node ::1:5432")).toMatchObject({ right: { node: { host: "::1", port: 5432 } } })
    for (const node of ["10.0.0.4", "10.0.0.4:0", "10.0.0.4:65536", ":5432", "10.0.0.4:"]) {
      expect(refusal(`db isolate app_1 --node=${node}`)).toBe(
        "--node must be a host and a port, such as 10.0.0.4:5432."
      )
    }
    for (const line of ["db isolate", "db isolate app_1 app_2"]) {
      expect(refusal(line)).toBe('"db isolate" takes the id of one app.')
    }
    expect(refusal("db isolate o'clock")).toBe("APP must be the id of an app.")
  })

  it("a test world has a clock, and may have a seed and a first moment [virtual-time-5]", () => {
    expect(parse("serve")).toEqual(Either.right({ _tag: "Serve" }))
    for (const line of ["--clock virtual", "serve --clock=virtual"]) {
      expect(parse(line)).toMatchObject({ right: { _tag: "Serve", virtual: { seed: null, at: null } } })
    }
    expect(parse("--clock virtual --seed a.1 --at 2026-01-05T09:00:00Z")).toMatchObject({
      right: { virtual: { seed: "a.1", at: 1_767_603_600_000 } }
    })
    expect(refusal("--clock real")).toContain('"virtual"')
    expect(refusal("--seed a")).toContain("--clock virtual")
    expect(refusal("--clock virtual --at 2026-99-05T09:00:00Z")).toContain("--at must be a moment")
  })

  it("the clock of a test world begins between the years 1970 and 8999 [virtual-time-1]", () => {
    for (const at of ["1970-01-01T00:00:00Z", "8999-12-31T23:59:59Z"]) {
      expect(parse(`--clock virtual --at ${at}`)).toMatchObject({ _tag: "Right" })
    }
    for (const at of ["1969-12-31T23:59:59Z", "9000-01-01T00:00:00Z", "9999-12-30T00:00:00Z"]) {
      expect(refusal(`--clock virtual --at ${at}`)).toBe("--at must lie between the years 1970 and 8999.")
    }
  })

  it("a password is never an argument: the refusal says how it is given, and does not repeat it", () => {
    for (const line of ["--password=hunter22", "--pass hunter22", "-p hunter22"]) {
      const problem = refusal(`account create --email a@b.example ${line}`)
      expect(problem).toContain("--password-stdin")
      expect(problem).not.toContain("hunter22")
    }
  })

  it("a wrong word or option is refused in a sentence that names it", () => {
    expect(refusal("account create --email -a")).toBe(
      "The value of --email is missing or begins with a dash. Write --email=VALUE."
    )
    expect(refusal("account create")).toContain("--email is missing")
    expect(refusal("account create --email nobody")).toContain("--email: must be an e-mail address")
    expect(refusal("account create --email a@b.example --role king")).toContain("developer, reviewer, admin")
    expect(refusal("account create --email a@b.example --colour red")).toContain("--colour")
    expect(refusal("account destroy")).toContain('"account destroy"')
    expect(refusal("serve --port 80")).toContain('"serve" takes no arguments')
  })
})

describe("help", () => {
  it("names only the npm scripts that are there: a release has no demo, no clock and no listen", () => {
    const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, "../../../../package.json"), "utf8")) as {
      readonly scripts: Readonly<Record<string, string>>
    }
    const named = (text: string) => Array.from(text.matchAll(/npm run (\w+)/g), ([, name = ""]) => name)
    expect(named(help(ServerSettings.all))).toEqual(["worker", "demo", "clock", "listen"])
    expect(named(help(ServerSettings.all)).filter((name) => !(name in scripts))).toEqual([])
    const text = "start it\n  npm start\n  npm run worker\n  npm run demo -- x, then npm run worker\nstop it"
    expect(NpmScripts.onlyThere(text, new Set(["start", "worker"]))).toBe(
      "start it\n  npm start\n  npm run worker\nstop it"
    )
  })

  it("explains every variable that the server reads", () => {
    const text = help(ServerSettings.all)
    for (const name of [
      "PORT",
      "HOST",
      "BASE_URL",
      "AUTH_URL",
      "USER_PORTAL_URL",
      "DATABASE_URL",
      "DATABASE_POOL",
      "DATA_DIR",
      "SECRET_KEYS",
      "ALLOW_INSECURE_WEBHOOKS",
      "SIGN_UP",
      "STAFF_SECOND_FACTOR",
      "TRUST_PROXY",
      "LOG_LEVEL",
      "LOG_FORMAT"
    ]) {
      expect(text).toMatch(new RegExp(`^  ${name}$`, "m"))
    }
  })
})
