"""Addresses of the pages about money."""

from django.urls import path

from lookups.workspace.balance import paying, views

urlpatterns = [
    path("", views.balance, name="balance"),
    path("budget/", views.budget, name="budget"),
    path("statement/", views.statement, name="statement"),
    path("statement/statement.csv", views.export, name="statement-csv"),
    path("topup/", paying.top_up, name="topup"),
    path("topup/done/", paying.done, name="topup-done"),
    path("topup/cancelled/", paying.cancelled, name="topup-cancelled"),
    path("receipts/", paying.list_receipts, name="receipts"),
    path("receipts/<int:entry_id>/", paying.receipt, name="receipt"),
]
