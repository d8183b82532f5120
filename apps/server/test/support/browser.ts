import { chromium, type Browser } from "playwright-core"
import { describe, inject } from "vitest"

const executablePath = inject("chromiumPath")

/** A `describe` for what only a browser shows; skipped where there is none. */
export const describeBrowser = describe.skipIf(executablePath === null)

/** Chromium without a window. The sandbox is off because test machines run as root. */
export const launchBrowser = (): Promise<Browser> => {
  if (executablePath === null) throw new Error("No Chromium: wrap this suite in describeBrowser")
  return chromium.launch({ executablePath, args: ["--no-sandbox"] })
}
