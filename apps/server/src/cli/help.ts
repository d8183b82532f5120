import { type Setting } from "@place-access/worker/host"

const COMMANDS = `Place-Aware Access Service

  npm start                                   start the server
  npm start -- migrate                        bring the database up to date and end
  npm start -- account create --email EMAIL   make an account
      --role ROLE         developer, reviewer or admin; may be repeated
      --name NAME         what users see; otherwise the part of the e-mail before the @
      --password-stdin    read the password from standard input
                          Without it you are asked for one; where nobody can be asked one is made up and shown once.
  npm start -- rules import FILE              bring along rules that have addresses and secrets of their own
      One JSON object a line, as docs/http.md says; all of them or, when one is wrong, none.
  npm start -- db distribute                  spread the tables over the nodes of a Citus cluster (docs/scaling.md)
      --dry-run           print the statements and change nothing
      --shards N          how many shards each group of tables has; 64 without it
  npm start -- help                           this text
  npm run worker                              a worker, with DATABASE_URL; as many as you like
  npm run demo                                a tour with everything set up
  npm run listen -- --forward URL             an app's events on this machine, for its developer; -- --help says more

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
