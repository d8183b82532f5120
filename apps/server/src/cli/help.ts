import { type Setting } from "@place-access/worker"

const COMMANDS = `Place-Aware Access Service

  npm start                                   start the server
  npm start -- migrate                        apply missing migrations to the database, then exit
  npm start -- account create --email EMAIL   make an account
      --role ROLE         developer, reviewer or admin; may be repeated
      --name NAME         what users see; otherwise the part of the e-mail before the @
      --password-stdin    read the password from standard input
                          Without it the command asks you; without a terminal it makes a password and shows it once.
  npm start -- account show EMAIL             show an account and where it is signed in
  npm start -- account reset-link EMAIL       make a link with which its owner sets a new password, once, for 30 minutes
  npm start -- account end-sessions EMAIL     sign it out everywhere
      --json              print one line of JSON
  npm start -- rules import FILE              import rules of an older service, with their addresses and secrets
      One JSON object a line (docs/legacy-webhooks.md). Imports the whole file or nothing.
  npm start -- db distribute                  distribute the tables over the nodes of a Citus cluster (docs/scaling.md)
      --dry-run           print the statements and change nothing
      --shards N          the number of shards of each group of tables; default 64
  npm start -- db isolate APP                 give the rows of an app a shard of their own on a Citus cluster
      --node HOST:PORT    move that shard to this node
  npm start -- help                           show this text
  npm run worker                              start a worker; needs DATABASE_URL; run as many as you like
  npm run demo                                show the service at work with a recorded walk
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
    COMMANDS,
    ...settings.map(
      ({ description, fallback, name }) => `  ${name}\n${wrap(`${description} Without it: ${fallback}.`, "      ")}`
    )
  ].join("\n")
