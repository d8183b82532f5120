import { SqlFixHistory } from "@place-access/adapters-pg"
import { fixHistoryContract } from "@place-access/domain/testing"
import { Layer } from "effect"
import { runContractPg } from "../support/contracts.js"
import { UploadStores } from "../support/uploadStores.js"

runContractPg("SqlFixHistory", fixHistoryContract, Layer.merge(UploadStores, SqlFixHistory.layer))
