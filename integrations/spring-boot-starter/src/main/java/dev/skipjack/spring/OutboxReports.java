package dev.skipjack.spring;

import dev.skipjack.outbox.Aggregate;
import dev.skipjack.outbox.OutboxAdmin;
import dev.skipjack.outbox.OutboxLag;
import dev.skipjack.spring.OutboxReport.BlockedRow;
import dev.skipjack.spring.OutboxReport.DeadRow;
import dev.skipjack.spring.OutboxReport.RelayRow;

/** Reads reports about an outbox. */
final class OutboxReports implements OutboxReport.Source {

  private final OutboxAdmin outbox;

  OutboxReports(OutboxAdmin outbox) {
    this.outbox = outbox;
  }

  @Override
  public OutboxReport report(int limit) {
    OutboxLag lag = outbox.lag();
    return new OutboxReport(
        lag.unpublished(),
        lag.oldest().toMillis() / 1000.0,
        lag.blockedAggregates(),
        lag.dead(),
        outbox.relays().stream()
            .limit(limit)
            .map(each -> new RelayRow(each.name(), each.lastLeasedAt(), each.leasedShards()))
            .toList(),
        outbox.blocked(limit).stream()
            .map(each -> new BlockedRow(text(each.aggregate()), each.blockedAt(), each.retryAt()))
            .toList(),
        outbox.dead(limit).stream()
            .map(
                each ->
                    new DeadRow(
                        each.id().toString(),
                        text(each.aggregate()),
                        each.type(),
                        each.diedAt(),
                        each.failures(),
                        each.reason()))
            .toList());
  }

  private static String text(Aggregate aggregate) {
    return aggregate.type() + "/" + aggregate.id();
  }
}
