import type { WebhookSender } from "@place-access/domain/endpoints"
import { Data, Imports, Stores, Webhooks } from "@place-access/worker"
import { Layer } from "effect"
import type { ServerSettings } from "./ServerSettings.js"

const PROGRAM = "place-access server"

/** The database with the current schema, and the keys that encrypt values in it. */
export const database = (settings: Pick<ServerSettings, "storage">, opening?: Data.Opening) =>
  Data.withKeys(settings.storage, PROGRAM, opening)

/** The adapters of the stores, the import reader and the webhook sender, over the database of the settings. */
export const layer = (settings: Pick<ServerSettings, "storage" | "webhooks">, opening?: Data.Opening) =>
  layerOver(Stores.layer, Webhooks.layer(settings.webhooks), settings, opening)

/** Like `layer`, with the stores and the sender of webhooks that the caller gives. */
export const layerOver = (
  stores: Layer.Layer<Stores.Stores, never, Stores.StorePorts>,
  sender: Layer.Layer<WebhookSender>,
  settings: Pick<ServerSettings, "storage">,
  opening?: Data.Opening
) => Layer.mergeAll(stores, Imports.layer, sender).pipe(Layer.provideMerge(database(settings, opening)))
