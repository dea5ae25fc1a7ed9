// After a restore: makes what was loaded into the rings claimable and completable here.
#pragma once

#include "core/containers.hpp"

namespace awa::queue {

// Runs in one transaction, with the rights of the extension's owner, while nobody turns or prunes a ring.
void after_restore(core::Memory &memory);

}  // namespace awa::queue
