package dev.skipjack.examples.spring;

import static java.util.Objects.requireNonNull;

import jakarta.persistence.Entity;
import jakarta.persistence.EnumType;
import jakarta.persistence.Enumerated;
import jakarta.persistence.GeneratedValue;
import jakarta.persistence.GenerationType;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** An order of a customer. */
@Entity
@Table(name = "orders")
class Order {

  /** The progress of an order. */
  enum Status {
    PLACED,
    PAID
  }

  // Hibernate assigns it in save(), without a round trip.
  @Id
  @GeneratedValue(strategy = GenerationType.UUID)
  private @Nullable UUID id;

  private String customer;
  private long cents;

  @Enumerated(EnumType.STRING)
  private Status status = Status.PLACED;

  @SuppressWarnings("NullAway.Init") // Hibernate sets the fields.
  protected Order() {}

  Order(String customer, long cents) {
    this.customer = customer;
    this.cents = cents;
  }

  UUID id() {
    return requireNonNull(id, "an order has an id after it was saved");
  }

  String customer() {
    return customer;
  }

  long cents() {
    return cents;
  }

  Status status() {
    return status;
  }

  void markPaid() {
    status = Status.PAID;
  }
}
