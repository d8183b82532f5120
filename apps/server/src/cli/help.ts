import { type Setting } from "@place-access/worker"
import * as NpmScripts from "../NpmScripts.js"

const COMMANDS = `Place-Aware Access Service

  npm start                                   start the server
  npm start -- --clock virtual                start a test world, whose clock you move (docs/virtual-time.md)
      --seed SEED         give a new world the same ids and secrets on every run
      --at MOMENT         what the clock of a new world shows, such as 2026-01-05T09:00:00Z
  npm start -- migrate                        apply missing migrations to the database, then exit
  npm start -- account create --email EMAIL   make an account
      --role ROLE         developer, reviewer or admin; may be repeated
      --name NAME         what users see; otherwise the part of the e-mail before the @
      --password-stdin    read the password from standard input
                          Without it the command asks you; without a terminal it makes a password and shows it once.
  npm start -- account list                   list all accounts
                          Below, EMAIL may also be the id of an account, which the list shows.
  npm start -- account show EMAIL             show its roles, second factor and sessions
  npm start -- account confirm EMAIL          count its address as confirmed, when you know that it is the owner's
  npm start -- account address ID EMAIL       give an address, confirmed, to an account that has no confirmed one
  npm start -- account role EMAIL give ROLE   give a role: developer, reviewer or admin; "take" takes it back
  npm start -- account reset-link EMAIL       make a link with which its owner sets a new password, once, for 30 minutes
  npm start -- account end-sessions EMAIL     sign it out everywhere
  npm start -- account remove-factor EMAIL    remove the second factor of an owner who lost it: asks now, and removes it
                          when called again three days later (docs/operating.md)
  npm start -- account suspend EMAIL          pause it: no sign-in, no answers to apps; "resume" ends the pause
  npm start -- account resume EMAIL           let a suspended account work again
  npm start -- account delete EMAIL           delete it for good, after a question; --yes asks nothing
      --json              print one line of JSON
                          With the embedded database all commands about accounts also work while the server runs.
  npm start -- doctor                         check settings, database, keys, clock, mail, disk and BASE_URL
      --json              print one line of JSON; the exit code is 1 when there is a problem
  npm start -- keys status                    list the keys, and how much is sealed with each
      --json              print one line of JSON
  npm start -- keys reencrypt                 encrypt stored secrets again with the newest key, also while it runs
      --json              print one line of JSON
  npm start -- backup FOLDER                  copy the embedded database and its keys to a new folder, also while it runs
      --json              print one line of JSON
  npm start -- db copy DATA_DIR               copy an embedded database into the empty PostgreSQL of DATABASE_URL
  npm start -- rules import FILE              import rules of an older service, with their addresses and secrets
      One JSON object a line (docs/legacy-webhooks.md). Imports the whole file or nothing.
  npm start -- db distribute                  distribute the tables over the nodes of a Citus cluster (docs/scaling.md)
      --dry-run           print the statements and change nothing
      --shards N          the number of shards of each group of tables; default 64
  npm start -- db isolate APP                 give the rows of an app a shard of their own on a Citus cluster
      --node HOST:PORT    move that shard to this node
  npm start -- --version                      show the version
  npm start -- help                           show this text
      npm itself prints lines before the JSON of --json, unless you write: npm --silent start -- …
  npm run worker                              start a worker; needs DATABASE_URL; run as many as you like
  npm run demo                                show the service at work with a recorded ride
  npm run clock -- advance 14d                move the clock of a test world; -- --help says more
  npm run listen -- --forward URL             forward an app's events to this machine; -- --help says more

Settings are environment variables:
`

const WIDTH = 96

const wrap = (text: string, indent: string): string => {
  const lines = [""]
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? ""
    if (line.length + word.length + indent.length >= WIDTH) lines.push(word)
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`
  }
  return lines.map((line) => `${indent}${line}`).join("\n")
}

export const help = (settings: ReadonlyArray<Setting.Setting<unknown>>): string =>
  [
    NpmScripts.onlyThere(COMMANDS),
    ...settings.map(
      ({ description, fallback, name }) => `  ${name}\n${wrap(`${description} Without it: ${fallback}.`, "      ")}`
    )
  ].join("\n")
