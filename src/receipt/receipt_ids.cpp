#include "receipt/receipt_ids.hpp"

#include "pg/sequence.hpp"

namespace awa::receipt {

namespace {
constinit pg::CachedSequence receipt_seq("receipt_seq");
}

std::int64_t draw_receipt_block() { return pg::next_value(receipt_seq.oid()); }

}  // namespace awa::receipt
