"""Every address of the admin, Django's own and ours."""

from django.contrib import admin
from django.urls import path

from config.admin.find import find

urlpatterns = [
    path("find/", admin.site.admin_view(find), name="admin_find"),
    path("", admin.site.urls),
]
