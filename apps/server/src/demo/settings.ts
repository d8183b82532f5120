import { type CannotStart, ConfigReport } from "@place-access/worker"
import { ConfigProvider, Effect } from "effect"
import * as ServerSettings from "../ServerSettings.js"

/**
 * The variables that the demo takes from the environment. The demo must ignore all other variables: an operator's shell
 * may have a `BASE_URL` or a `DATABASE_URL`, with which the demo would write to the real service.
 */
const TAKEN = ["PORT", "TILE_URL", "LOG_LEVEL", "LOG_FORMAT"]

/** The settings of the demo's server: a separate database, no e-mail, and webhooks to this machine. */
export const settings = (
  dataDir: string,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<ServerSettings.ServerSettings, CannotStart> => {
  const taken = TAKEN.flatMap((name) => {
    const value = environment[name]?.trim() ?? ""
    return value === "" ? [] : [[name, value] as const]
  })
  const values = new Map([
    ["LOG_LEVEL", "warn"],
    ...taken,
    ["DATA_DIR", dataDir],
    ["ALLOW_INSECURE_WEBHOOKS", "true"]
  ] as const)
  return Effect.withConfigProvider(ConfigReport.read(ServerSettings.config), ConfigProvider.fromMap(values))
}
