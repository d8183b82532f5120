import { describe } from "vitest"
import { migratedEmbedded } from "../support/embedded.js"
import { livesOn } from "../support/lives.js"

describe("lives lived through the programs, on the embedded database", () => livesOn(migratedEmbedded, 21, 60))
