import { type Setting } from "@place-access/worker/host"

/** The README's table of settings, so that it cannot say anything else than the program. */
export const settingsTable = (settings: ReadonlyArray<Setting.Setting<unknown>>): string =>
  [
    "| variable | without it | what it is for |",
    "|---|---|---|",
    ...settings.map(({ description, fallback, name }) => `| \`${name}\` | ${fallback} | ${description} |`)
  ].join("\n")
