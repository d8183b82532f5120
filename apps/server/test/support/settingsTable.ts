import { type Setting } from "@place-access/worker"

/**
 * Makes the table of docs/settings.md. A test compares the result with the page, so that the page cannot differ from
 * the program.
 */
export const settingsTable = (settings: ReadonlyArray<Setting.Setting<unknown>>): string =>
  [
    "| variable | without it | what it is for |",
    "|---|---|---|",
    ...settings.map(({ description, fallback, name }) => `| \`${name}\` | ${fallback} | ${description} |`)
  ].join("\n")
