// Which layer the HTML report tells its reader to look at, in one sentence and its explanation.
// Chooses among what was found; finds and judges nothing itself.
#pragma once

#include "report/ci/markup.h"
#include "report/data/report.h"
#include "report/html/html_names.h"

namespace parity::report {

/// "Look at blocks.1.attn first: it makes the difference itself." Inside the element that is open.
void add_layer_sentence(Markup& page, const Report& report, const PageNames& names);

/// Paragraphs: how large, by what operators, where and in what pattern; what was within before it.
void add_layer_explanation(Markup& page, const Report& report, const PageNames& names);

}  // namespace parity::report
