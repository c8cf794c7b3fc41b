package dev.cassidy.service;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.data.cassandra.core.ReactiveCassandraTemplate;
import org.springframework.stereotype.Component;

@Component
class ReactiveWays {

    private final ReactiveCassandraTemplate template;
    private final ReactivePurchases purchases;

    ReactiveWays(ReactiveCassandraTemplate template, ReactivePurchases purchases) {
        this.template = template;
        this.purchases = purchases;
    }

    Map<String, ?> template() {
        Customer inserted = Objects.requireNonNull(
                template.insert(new Customer(null, "Ann")).block());
        int id = Objects.requireNonNull(inserted.id());
        template.update(new Customer(id, "Bea")).block();
        Customer changed = Objects.requireNonNull(
                template.selectOneById(id, Customer.class).block());
        template.delete(changed).block();
        return Map.of(
                "id",
                id,
                "inserted",
                inserted.name(),
                "changed",
                changed.name(),
                "left",
                Boolean.TRUE.equals(template.exists(id, Customer.class).block()) ? 1 : 0);
    }

    Map<String, ?> repository() {
        Purchase saved =
                Objects.requireNonNull(purchases.save(purchase("Kettle")).block());
        long id = Objects.requireNonNull(saved.getId());
        Purchase loaded = Objects.requireNonNull(purchases.findById(id).block());
        String inserted = loaded.getItem();
        loaded.setItem("Teapot");
        purchases.save(loaded).block();
        String changed = Objects.requireNonNull(purchases.findById(id).block()).getItem();
        List<Long> all = Objects.requireNonNull(purchases
                .saveAll(List.of(purchase("Cup"), purchase("Jug")))
                .map(each -> Objects.requireNonNull(each.getId()))
                .collectList()
                .block());
        purchases.deleteById(id).block();
        return Map.of(
                "id", id,
                "inserted", inserted,
                "changed", changed,
                "all", all,
                "left", Boolean.TRUE.equals(purchases.existsById(id).block()) ? 1 : 0);
    }

    private static Purchase purchase(String item) {
        Purchase purchase = new Purchase();
        purchase.setItem(item);
        return purchase;
    }
}
