import { SqlImportStore } from "@place-access/adapters-pg"
import { importStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContract } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContract("SqlImportStore", importStoreContract, Layer.merge(SqlImportStore.layer, UploadStores))
