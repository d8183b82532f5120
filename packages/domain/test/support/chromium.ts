import { type Browser, chromium } from "playwright-core"
import { describe, inject } from "vitest"

const executablePath = inject("chromiumPath")

/** A `describe` for tests that need a browser. On a machine without Chromium these tests are skipped. */
export const describeBrowser = describe.skipIf(executablePath === null)

let launched: Promise<Browser> | undefined

/**
 * Returns a Chromium without a window. All tests of a process share one browser, which ends with the process, so a test
 * must close the contexts and pages that it opens. The sandbox is off because test machines run as root.
 */
export const theBrowser = async (): Promise<Browser> => {
  if (executablePath === null) throw new Error("No Chromium: wrap this suite in describeBrowser")
  if (launched !== undefined && (await launched).isConnected()) return launched
  return (launched = chromium.launch({
    executablePath,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      // Another name of this machine, for tests of insecure pages: the browser treats http pages of `localhost` as
      // secure, but not http pages of this name.
      "--host-resolver-rules=MAP insecure.test 127.0.0.1"
    ]
  }))
}
