import { SqlImportStore } from "@place-access/adapters-pg"
import { importStoreContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg("SqlImportStore", importStoreContract, Layer.merge(SqlImportStore.layer, UploadStores))
