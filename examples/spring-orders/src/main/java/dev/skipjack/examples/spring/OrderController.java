package dev.skipjack.examples.spring;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The shop's HTTP interface. */
@RestController
@RequestMapping("/orders")
class OrderController {

  record NewOrder(String customer, long cents) {}

  record PlacedOrder(UUID id, String customer, long cents, Order.Status status) {
    static PlacedOrder of(Order order) {
      return new PlacedOrder(order.id(), order.customer(), order.cents(), order.status());
    }
  }

  private final OrderService service;
  private final Orders orders;

  OrderController(OrderService service, Orders orders) {
    this.service = service;
    this.orders = orders;
  }

  @PostMapping
  @ResponseStatus(HttpStatus.CREATED)
  PlacedOrder place(@RequestBody NewOrder order) {
    return PlacedOrder.of(service.place(order.customer(), order.cents()));
  }

  @GetMapping("/{id}")
  ResponseEntity<PlacedOrder> find(@PathVariable UUID id) {
    return ResponseEntity.of(orders.findById(id).map(PlacedOrder::of));
  }
}
