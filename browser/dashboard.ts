import { keepAddress } from './dashboard/address.ts'
import { offerCopies } from './dashboard/copy.ts'
import { focusError } from './dashboard/errors.ts'
import { shortAddresses } from './dashboard/filters.ts'
import { editMapping, forgetDocuments } from './dashboard/mapping-editor.ts'
import { drawPlots } from './dashboard/plots.ts'
import { localTimes } from './dashboard/times.ts'

offerCopies()
keepAddress()
localTimes()
shortAddresses()
void drawPlots()
editMapping()
forgetDocuments()
focusError()
