package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobQuery;

/** Restricts filters to what a user may see. */
final class Filters {

  private Filters() {}

  /**
   * Returns the query of a filter that the visitor may use. A search by values of payloads, or by
   * texts of errors, would reveal them to a visitor who may not see them.
   *
   * @throws Refusal if the filter cannot be understood or is not allowed
   */
  static JobQuery of(String text, Visit visit) {
    JobQuery query = FilterText.parse(text, visit.now());
    if (!visit.access().payloads() && (query.payload() != null || query.error() != null)) {
      throw Refusal.forbidden(
          "A search by payload or by the text of an error needs the right to see payloads. Use"
              + " error-group: or class: to find errors.");
    }
    JobQuery.PayloadField field = query.payload();
    if (field != null && isMasked(field, visit.services().settings().payloads())) {
      throw Refusal.forbidden(
          "A masked field cannot be searched: the result would reveal its value.");
    }
    String group = query.errorGroup();
    if (group != null && !visit.reads().isShownAsStored(group)) {
      throw Refusal.forbidden(
          "This error has values that are hidden from you. A search for it would reveal them.");
    }
    String queue = query.queue();
    if (queue != null && !visit.access().sees(queue)) {
      throw Refusal.notFound("There is no such queue, or you may not see it.");
    }
    return query;
  }

  /**
   * Returns the query of a filter for a change of many jobs. A visitor who sees only some queues
   * must name one of them.
   */
  static JobQuery ofChange(String text, Visit visit) {
    JobQuery query = of(text, visit);
    if (!visit.reads().isVisible(query)) {
      throw needsQueue();
    }
    return query;
  }

  static Refusal needsQueue() {
    return Refusal.forbidden("Name one of your queues in the filter, for example queue:emails.");
  }

  static boolean isMasked(JobQuery.PayloadField field, PayloadView view) {
    return field.path().stream().anyMatch(name -> view.masks(PayloadView.plain(name)));
  }
}
