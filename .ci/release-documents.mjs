// The documents of a release (`.ci/release.mjs`).
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = join(dirname(fileURLToPath(import.meta.url)), "..")

/**
 * The documents for operators, and those that messages and pages of the programs link to. The quick start is also a
 * page of the server, which reads the file in the release folder.
 */
export const DOCUMENTS = [
  "docs/CHANGELOG.md",
  "docs/backup.md",
  "docs/client.md",
  "docs/export-format.md",
  "docs/leases.md",
  "docs/legacy-webhooks.md",
  "docs/operating.md",
  "docs/performance.md",
  "docs/quick-start.md",
  "docs/receiving-webhooks.md",
  "docs/release.md",
  "docs/releasing.md",
  "docs/scaling.md",
  "docs/security.md",
  "docs/settings.md",
  "docs/telemetry.md",
  "docs/upgrading.md",
  "docs/virtual-time.md"
]

const LINK = /\[([^\]]+)\]\((?!https?:|mailto:|#)([^)\s]+)\)/g

/**
 * Copies the documents and `deploy` into the folder of a release. A link to a file that only the repository has, such
 * as a decision or a source, becomes plain text.
 */
export const stageDocuments = (folder) => {
  cpSync(join(ROOT, ".deploy"), join(folder, "deploy"), {
    recursive: true,
    filter: (path) => path !== join(ROOT, ".deploy/README.md")
  })
  cpSync(join(ROOT, ".deploy/README.md"), join(folder, "README.md"))
  mkdirSync(join(folder, "docs"))
  for (const path of DOCUMENTS) cpSync(join(ROOT, path), join(folder, path))
  for (const path of DOCUMENTS) {
    const text = readFileSync(join(folder, path), "utf8")
    const isThere = (to) => existsSync(join(folder, dirname(path), to.split("#")[0] ?? ""))
    const linked = text.replaceAll(LINK, (link, words, to) => (isThere(to) ? link : words))
    writeFileSync(join(folder, path), linked)
  }
}
