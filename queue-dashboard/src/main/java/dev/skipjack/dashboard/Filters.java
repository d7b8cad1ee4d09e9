package dev.skipjack.dashboard;

import dev.skipjack.api.operations.JobQuery;
import org.jspecify.annotations.Nullable;

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
    if (field != null && isMasked(field, visit)) {
      throw Refusal.forbidden(
          "A masked field cannot be searched: the result would reveal its value.");
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
    if (query.queue() == null && !visit.access().seesEverything()) {
      throw Refusal.forbidden("Name one of your queues in the filter, for example queue:emails.");
    }
    return query;
  }

  /** Whether the visitor may see what was done to the jobs of a filter. */
  static boolean isVisible(JobQuery filter, Visit visit) {
    String queue = filter.queue();
    return queue == null ? visit.access().seesEverything() : visit.access().sees(queue);
  }

  /** Returns the text of a stored filter, without the values that the visitor may not see. */
  static String shown(JobQuery filter, Visit visit) {
    JobQuery shown = filter;
    boolean payloads = visit.access().payloads();
    JobQuery.PayloadField field = shown.payload();
    if (field != null && (!payloads || isMasked(field, visit))) {
      shown = shown.payload(new JobQuery.PayloadField(field.path(), Redaction.MASK));
    }
    @Nullable String error = shown.error();
    if (error != null && !payloads) {
      shown = shown.error(Redaction.MASK);
    }
    return FilterText.of(shown);
  }

  private static boolean isMasked(JobQuery.PayloadField field, Visit visit) {
    PayloadView view = visit.services().settings().payloads();
    return field.path().stream().anyMatch(name -> view.masks(PayloadView.plain(name)));
  }
}
